/** Block strings (`#"…"#`) are `raw`: they hold prompts, never declarations. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'raw' | 'mark';
  readonly text: string;
  readonly line: number;
}

const PATTERNS: readonly (readonly [Token['kind'] | undefined, RegExp])[] = [
  [undefined, /\s+|\/\/[^\n]*|\/\*[^]*?\*\//y],
  ['raw', /(#+)"[^]*?"\1/y],
  ['string', /"(?:[^"\\]|\\[^])*"/y],
  ['number', /-?\d+(?:\.\d+)?/y],
  ['word', /[A-Za-z_][\w-]*/y],
  ['mark', /->|@@?[A-Za-z_][\w.]*|[^]/y],
];

/** Splits source into tokens. Never fails: an unknown character becomes a `mark`. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  let line = 1;
  while (position < source.length) {
    const [kind, text] = next(source, position);
    if (kind !== undefined) tokens.push({ kind, text, line });
    line += text.split('\n').length - 1;
    position += text.length;
  }
  return tokens;
}

function next(source: string, position: number): [Token['kind'] | undefined, string] {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = position;
    const match = pattern.exec(source);
    if (match !== null) return [kind, match[0]];
  }
  return ['mark', source.charAt(position)];
}
