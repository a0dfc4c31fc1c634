import {
  BUILT_IN_PATTERNS,
  customPattern,
  type Mask,
  namedSecretPatterns,
  type SecretPattern,
} from './patterns.js';

/** Replaces the secrets inside a text. */
export class TextMasker {
  private readonly patterns: readonly SecretPattern[];

  constructor(
    private readonly toToken: Mask,
    added: readonly RegExp[] | false,
    isSecretName: (name: string) => boolean,
  ) {
    this.patterns =
      added === false
        ? []
        : [...BUILT_IN_PATTERNS, ...namedSecretPatterns(isSecretName), ...added.map(customPattern)];
  }

  /** The same text when there is nothing to replace. */
  mask(text: string): string {
    let masked = text;
    for (const { expression, replace } of this.patterns) {
      masked = masked.replace(expression, (match: string, ...rest: unknown[]) =>
        replace(this.toToken, match, groupsOf(rest)),
      );
    }
    return masked;
  }
}

/** `replace` hands over the groups, then the position. */
function groupsOf(rest: readonly unknown[]): string[] {
  const position = rest.findIndex((part) => typeof part === 'number');
  return rest.slice(0, position).map((group) => (typeof group === 'string' ? group : ''));
}
