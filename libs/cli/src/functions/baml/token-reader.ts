import { CliError } from '../../errors.js';
import type { Token } from './tokenize.js';

/** The types of a BAML source cannot be read. */
class BamlSyntaxError extends CliError {
  readonly code = 'CLI_BAML_SYNTAX';

  constructor(
    readonly line: number,
    problem: string,
  ) {
    super(`BAML source, line ${line}: ${problem}. Check it with: npx baml-cli check`);
  }
}

const CLOSING: Record<string, string> = { '(': ')', '{': '}', '[': ']', '<': '>' };

/** Reads tokens one by one. Each method throws `BamlSyntaxError` with the line of an unexpected token. */
export class TokenReader {
  private position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get peek(): Token | undefined {
    return this.tokens[this.position];
  }

  get isAtEnd(): boolean {
    return this.position >= this.tokens.length;
  }

  next(): Token {
    const token = this.peek;
    if (token === undefined)
      throw new BamlSyntaxError(this.tokens.at(-1)?.line ?? 1, 'the source ends early');
    this.position++;
    return token;
  }

  /** Consumes the next token if it is `text`. */
  take(text: string): boolean {
    const isIt = this.peek?.text === text && this.peek.kind !== 'string';
    if (isIt) this.position++;
    return isIt;
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(`"${text}"`);
  }

  word(): string {
    return this.peek?.kind === 'word' ? this.next().text : this.fail('a name');
  }

  /** Skips a bracketed group if one starts here. */
  skipGroup(open: string): void {
    if (!this.take(open)) return;
    const close = CLOSING[open];
    for (let depth = 1; depth > 0;) {
      const { text, kind } = this.next();
      if (kind === 'string') continue;
      if (text === open) depth++;
      else if (text === close) depth--;
    }
  }

  /** Skips attributes such as `@description("…")` and returns their names. */
  attributes(): string[] {
    const names: string[] = [];
    while (this.peek?.kind === 'mark' && this.peek.text.startsWith('@')) {
      names.push(this.next().text);
      this.skipGroup('(');
    }
    return names;
  }

  fail(expected: string): never {
    const { line, text } = this.peek ?? { line: this.tokens.at(-1)?.line ?? 1, text: 'the end' };
    throw new BamlSyntaxError(line, `${expected} is expected, not ${text}`);
  }
}
