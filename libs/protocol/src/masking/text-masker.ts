import { secretNameBefore } from './name-scan.js';
import { markedSecretPatterns } from './marked-patterns.js';
import { namedSecretPatterns } from './named-patterns.js';
import { BUILT_IN_PATTERNS, customPattern, type Mask, type SecretPattern } from './patterns.js';
import { PHRASE_PATTERNS } from './phrase-patterns.js';
import type { NameRule } from './secret-names.js';

const NAMES_KEPT = 1024;

/** Replaces the secrets inside a text. */
export class TextMasker {
  private readonly patterns: readonly SecretPattern[];
  private readonly named: readonly SecretPattern[];
  private readonly custom: readonly SecretPattern[];
  private readonly isSecretName: (name: string) => boolean;

  constructor(
    private readonly toToken: Mask,
    added: readonly RegExp[] | false,
    ruleOf: NameRule,
  ) {
    this.patterns =
      added === false ? [] : [...BUILT_IN_PATTERNS, ...PHRASE_PATTERNS, ...markedSecretPatterns(ruleOf)];
    this.named = added === false ? [] : namedSecretPatterns(ruleOf);
    this.custom = added === false ? [] : added.map(customPattern);
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
    const masked = this.apply(this.patterns, text);
    return this.apply(this.custom, this.maskNamed(masked));
  }

  private apply(patterns: readonly SecretPattern[], text: string): string {
    let masked = text;
    for (const { expression, needs, replace } of patterns) {
      if (needs !== undefined && !needs.some((part) => masked.includes(part))) continue;
      masked = masked.replace(expression, (match: string, ...rest: unknown[]) =>
        replace === undefined ? this.toToken(match) : replace(this.toToken, match, groupsOf(rest)),
      );
    }
    return masked;
  }

  private maskNamed(text: string): string {
    if (this.named.length === 0) return text;
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
    return masked + text.slice(end);
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

/** `replace` hands over the groups, then the position. */
function groupsOf(rest: readonly unknown[]): (string | undefined)[] {
  const position = rest.findIndex((part) => typeof part === 'number');
  return rest.slice(0, position) as (string | undefined)[];
}
