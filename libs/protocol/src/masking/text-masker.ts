import { foreignNamePattern, foreignNamesIn } from './foreign-names.js';
import { type Hints, hintsOf, someHint, someName } from './hints.js';
import { markedSecretPatterns } from './marked-patterns.js';
import { secretNameBefore } from './name-scan.js';
import { labelPattern, listedPattern, namedSecretPatterns } from './named-patterns.js';
import { BUILT_IN_PATTERNS, customPattern, type Mask, type SecretPattern } from './patterns.js';
import { type PiiKind, piiPatterns } from './pii-patterns.js';
import { PHRASE_PATTERNS } from './phrase-patterns.js';
import type { NameRule } from './secret-names.js';

const NAMES_KEPT = 1024;
/** Shorter texts are looked at as a whole. */
const SHORT = 512;
/** What is looked at around a hint: two lines before and three after it, within these bounds. */
const BEFORE = 600;
const AFTER = 4200;
const LINES_BEFORE = 2;
const LINES_AFTER = 3;
/** How far a key may go on without a break. */
const LONGEST_KEY = 16 * 1024;
/** A line of `.pgpass` has no word of its own. */
const PGPASS = /:\d{2,5}:[\w*-]{1,128}:[\w*-]{1,128}:/g;
const BREAK = /[\s"'`<>&,;\\]/g;
const FIRST_BREAK = /[\s"'`<>&,;\\]/;

/** Replaces the secrets inside a text. */
export class TextMasker {
  /** Those that may be longer than what is looked at around a hint. */
  private readonly blocks: readonly SecretPattern[];
  private readonly patterns: readonly SecretPattern[];
  private readonly named: readonly SecretPattern[];
  private readonly custom: readonly SecretPattern[];
  private readonly isOff: boolean;
  readonly isSecretName: (name: string) => boolean;

  constructor(
    private readonly toToken: Mask,
    added: readonly RegExp[] | false,
    ruleOf: NameRule,
    /** The rule knows names that the built-in ones do not. */
    private readonly hasOwnNames = false,
    pii: readonly PiiKind[] = [],
  ) {
    this.isOff = added === false;
    const all = [
      ...BUILT_IN_PATTERNS,
      ...PHRASE_PATTERNS,
      foreignNamePattern(),
      ...markedSecretPatterns(ruleOf),
      labelPattern(ruleOf),
      listedPattern(ruleOf),
    ];
    this.blocks = all.filter(({ isBlock }) => isBlock === true);
    this.patterns = all.filter(({ isBlock }) => isBlock !== true);
    this.named = namedSecretPatterns(ruleOf);
    this.custom = [...piiPatterns(pii), ...(added === false ? [] : added.map(customPattern))];
    const known = new Map<string, boolean>();
    this.isSecretName = (name) => {
      let isSecret = known.get(name);
      if (isSecret !== undefined) return isSecret;
      if (known.size >= NAMES_KEPT) known.clear();
      known.set(name, (isSecret = ruleOf(name) !== undefined));
      return isSecret;
    };
  }

  /** The same text when there is nothing to replace. */
  mask(text: string): string {
    const masked = this.isOff
      ? text
      : text.length <= SHORT
        ? this.maskPart(text)
        : this.maskAroundHints(text);
    return apply(this.custom, masked, this.toToken);
  }

  private maskPart(text: string): string {
    return this.maskNamed(apply(this.patterns, apply(this.blocks, text, this.toToken), this.toToken));
  }

  private maskAroundHints(given: string): string {
    const text = apply(this.blocks, given, this.toToken);
    const parts = partsAround(this.placesOf(text), text);
    let masked = '';
    let end = 0;
    for (const part of parts) {
      masked += text.slice(end, part.start) + this.maskPart(text.slice(part.start, part.end));
      end = part.end;
    }
    return parts.length === 0 ? text : masked + text.slice(end);
  }

  private someHint(hints: Hints, found: (at: number) => boolean): boolean {
    const { isSecretName } = this;
    return someHint(hints, isSecretName, found) || (this.hasOwnNames && someName(hints, isSecretName, found));
  }

  /** Where secrets may be, in rising order. */
  private placesOf(text: string): number[] {
    const places: number[] = [];
    this.someHint(hintsOf(text), (at) => {
      places.push(at);
      return false;
    });
    for (const index of foreignNamesIn(text)) places.push(index);
    for (const { index } of text.matchAll(PGPASS)) places.push(index);
    return places.sort((a, b) => a - b);
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
}

function apply(patterns: readonly SecretPattern[], text: string, toToken: Mask): string {
  let masked = text;
  for (const { expression, needs, replace } of patterns) {
    if (needs !== undefined && !needs.some((part) => masked.includes(part))) continue;
    masked = masked.replace(expression, (match: string, ...rest: unknown[]) =>
      replace === undefined ? toToken(match) : replace(toToken, match, groupsOf(rest)),
    );
  }
  return masked;
}

/** `replace` hands over the groups, then the position. */
function groupsOf(rest: readonly unknown[]): (string | undefined)[] {
  const position = rest.findIndex((part) => typeof part === 'number');
  return rest.slice(0, position) as (string | undefined)[];
}

interface Part {
  readonly start: number;
  end: number;
}

/** Parts of the text around the places; they do not overlap. */
function partsAround(places: readonly number[], text: string): readonly Part[] {
  const parts: Part[] = [];
  // The next break after a place is that of all places up to it.
  let searchedFrom = -1;
  let nextBreak = -1;
  const breakAfter = (at: number): number => {
    if (at < searchedFrom || at > nextBreak) {
      BREAK.lastIndex = searchedFrom = at;
      nextBreak = BREAK.exec(text)?.index ?? text.length;
    }
    return nextBreak;
  };
  for (const at of places) {
    const last = parts.at(-1);
    if (last !== undefined && at + AFTER <= last.end) continue;
    const end = endOfPart(text, at, breakAfter);
    const start = startOfPart(text, at);
    if (last === undefined || start > last.end) parts.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return parts;
}

function startOfPart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - BEFORE), at);
  let start = before.length;
  for (let lines = 0; lines <= LINES_BEFORE && start > 0; lines++)
    start = before.lastIndexOf('\n', start - 1);
  if (start < 0) start = at <= BEFORE ? 0 : Math.max(0, before.search(FIRST_BREAK));
  return at - before.length + start;
}

function endOfPart(text: string, at: number, breakAfter: (at: number) => number): number {
  const most = Math.min(text.length, at + AFTER);
  const after = text.slice(at, most);
  let end = 0;
  for (let lines = 0; lines < LINES_AFTER && end >= 0; lines++) end = after.indexOf('\n', end + 1);
  if (end >= 0) return at + end;
  const next = breakAfter(most);
  return next - most <= LONGEST_KEY ? next : most;
}
