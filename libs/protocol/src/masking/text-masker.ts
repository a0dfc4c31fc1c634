import { foreignNamePattern } from './foreign-names.js';
import { HINTS, NAME_HINTS } from './hint-kinds.js';
import { HintFinder } from './hints.js';
import { markedSecretPatterns } from './marked-patterns.js';
import { secretNameBefore } from './name-scan.js';
import { labelPattern, listedPattern, namedSecretPatterns } from './named-patterns.js';
import { BUILT_IN_PATTERNS, customPattern, type Mask, type SecretPattern } from './patterns.js';
import { type PiiKind, piiPatterns } from './pii-patterns.js';
import { PHRASE_PATTERNS } from './phrase-patterns.js';
import { WHOLE_TOKEN } from '../values/redaction-token.js';
import type { NameRule } from './secret-names.js';
import { type Part, Utf8Text } from './text-parts.js';

const NAMES_KEPT = 1024;
/** Shorter texts with a hint are searched completely. */
const SHORT = 512;
/** Shorter texts contain no hints. */
const SHORTEST = 6;

/** Work that is left: a unit for each place of a possible secret, and for each KiB of text around places. A text with more is masked as a whole. */
export interface HintBudget {
  left: number;
}

/** Replaces the secrets inside a text. */
export class TextMasker {
  readonly isSecretName: (name: string) => boolean;
  /** Finds the positions of possible secrets. */
  readonly hints: HintFinder;
  private readonly patterns: readonly SecretPattern[];
  private readonly named: readonly SecretPattern[];
  private readonly custom: readonly SecretPattern[];
  private readonly isOff: boolean;

  private readonly toToken: Mask;

  constructor(
    toToken: Mask,
    added: readonly RegExp[] | false,
    nameRule: NameRule,
    /** The rule has names in addition to the built-in ones. */
    hasOwnNames = false,
    pii: readonly PiiKind[] = [],
    private readonly budget?: HintBudget,
  ) {
    this.isOff = added === false;
    // A text may be masked twice.
    this.toToken = (secret) => (WHOLE_TOKEN.test(secret) ? secret : toToken(secret));
    this.patterns = [
      ...BUILT_IN_PATTERNS,
      ...PHRASE_PATTERNS,
      foreignNamePattern(),
      ...markedSecretPatterns(nameRule),
      labelPattern(nameRule),
      listedPattern(nameRule),
    ];
    this.named = namedSecretPatterns(nameRule);
    this.custom = [...piiPatterns(pii), ...(added === false ? [] : added.map(customPattern))];
    const known = new Map<string, boolean>();
    this.isSecretName = (name) => {
      let isSecret = known.get(name);
      if (isSecret !== undefined) return isSecret;
      if (known.size >= NAMES_KEPT) known.clear();
      known.set(name, (isSecret = nameRule(name) !== undefined));
      return isSecret;
    };
    this.hints = new HintFinder(this.isSecretName, hasOwnNames);
  }

  /** Returns the same text if there is nothing to replace. */
  mask(text: string): string {
    const masked = this.isOff || text.length < SHORTEST ? text : this.maskAroundHints(text);
    return this.custom.length === 0 ? masked : this.apply(this.custom, masked);
  }

  private maskAroundHints(text: string): string {
    const utf8 = new Utf8Text(text);
    const hints: { at: number; hint: number }[] = [];
    let all = 0;
    const isOver = this.hints.some(utf8.bytes, 0, utf8.length, (at, hint) => {
      hints.push({ at, hint });
      all |= hint;
      return this.budget !== undefined && --this.budget.left < 0;
    });
    if (hints.length === 0) return text;
    if (isOver) return this.toToken(text);
    if ((all & HINTS.block) !== 0) {
      const blocks = this.patterns.filter(({ hint }) => hint === HINTS.block);
      const masked = this.apply(blocks, text);
      if (masked !== text) return this.maskAroundHints(masked);
    }
    if (text.length <= SHORT) return this.maskPart(text, all);
    hints.sort((a, b) => a.at - b.at);
    let masked = '';
    let end = 0;
    const parts = utf8.partsAround(hints);
    if (this.isTooMuch(parts)) return this.toToken(text);
    for (const part of parts) {
      const before = utf8.slice(part.start, part.end);
      const after = this.maskPart(before, part.hint);
      if (after === before) continue;
      const start = utf8.characterAt(part.start);
      masked += text.slice(end, start) + after;
      end = start + before.length;
    }
    return end === 0 ? text : masked + text.slice(end);
  }

  private isTooMuch(parts: readonly Part[]): boolean {
    if (this.budget === undefined) return false;
    for (const { start, end } of parts) this.budget.left -= Math.ceil((end - start) / 1024);
    return this.budget.left < 0;
  }

  private maskPart(text: string, hints: number): string {
    const called = (hints & ~NAME_HINTS) === 0 ? hints : hints | NAME_HINTS;
    const patterns = this.patterns.filter(({ hint = called }) => (hint & called) !== 0);
    return this.maskNamed(this.apply(patterns, text));
  }

  private maskNamed(text: string): string {
    const signs = /[:=]/g;
    let masked = '';
    let end = 0;
    for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
      const start = secretNameBefore(text, sign.index, this.isSecretName);
      const found = start < end ? undefined : this.replacementAt(text, start);
      if (found === undefined) continue;
      masked += text.slice(end, start) + found.text;
      signs.lastIndex = end = found.end;
    }
    return end === 0 ? text : masked + text.slice(end);
  }

  private replacementAt(text: string, index: number): { text: string; end: number } | undefined {
    for (const { expression, replace } of this.named) {
      expression.lastIndex = index;
      const [match, ...groups] = expression.exec(text) ?? [];
      if (match === undefined) continue;
      const replaced = replace?.(this.toToken, match, groups);
      if (replaced !== undefined && replaced !== match) return { text: replaced, end: index + match.length };
    }
    return undefined;
  }

  private apply(patterns: readonly SecretPattern[], text: string): string {
    let masked = text;
    for (const { expression, needs, replace } of patterns) {
      if (needs !== undefined && !needs.some((part) => masked.includes(part))) continue;
      masked = masked.replace(expression, (match: string, ...rest: unknown[]) =>
        replace === undefined ? this.toToken(match) : replace(this.toToken, match, takeGroups(rest)),
      );
    }
    return masked;
  }
}

/** `replace` passes the groups before the position. */
function takeGroups(rest: readonly unknown[]): (string | undefined)[] {
  const position = rest.findIndex((part) => typeof part === 'number');
  return rest.slice(0, position) as (string | undefined)[];
}
