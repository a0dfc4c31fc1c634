/** One marked block of a tutorial. The comment above it says what the reader does with it. */
export interface Step {
  readonly does: 'setup' | 'file' | 'change' | 'run' | 'prints';
  /** The text after the colon of the comment: a path, `exit 5`, or the name of a setup step. */
  readonly detail: string;
  readonly code: string;
}

const BLOCK = /(?:^<!-- (setup|file|change|run|prints)(?:: (.+))? -->\n)?^```(\w*)\n([^]*?)^```$/gm;

/** Reads the blocks in their order. A block with a language and without a comment is an error: no test would run it. */
export function readSteps(markdown: string): Step[] {
  return [...markdown.matchAll(BLOCK)].flatMap(([, does, detail = '', language = '', code = '']) => {
    if (does !== undefined) return [{ does: does as Step['does'], detail, code }];
    if (language === '') return [];
    throw new Error(`This block has no comment that says how a test runs it:\n${code}`);
  });
}

/** Applies a diff of whole lines to a text that has the removed lines once. */
export function applyChange(text: string, diff: string): string {
  const linesWith = (sign: string): string =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const parts = text.split(linesWith('-'));
  if (parts.length !== 2) throw new Error(`The file does not have these lines once:\n${diff}`);
  return parts.join(linesWith('+'));
}

/** The lines of a shown output that are missing in the real one, in order. `…` stands for anything. */
export function findMissingLines(shown: string, output: string): string[] {
  const rest = output.split('\n');
  return shown
    .trimEnd()
    .split('\n')
    .filter((line) => {
      const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      const pattern = new RegExp(`^${parts.join('.*')}`);
      const found = rest.findIndex((printed) => pattern.test(printed));
      rest.splice(0, found + 1);
      return found < 0;
    });
}
