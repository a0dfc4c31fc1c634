import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../..');
const GUIDE = join(ROOT, 'docs/nestjs.md');

/** The TypeScript of the guide, each block as a module that stands beside this file. */
function blocksOf(guide: string): Map<string, string> {
  const blocks = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)];
  return new Map(
    blocks.map(({ 1: code = '', index }) => {
      const line = guide.slice(0, index).split('\n').length;
      return [join(__dirname, `guide-line-${line}.mts`), code];
    }),
  );
}

describe('docs/nestjs.md', () => {
  it('shows code that compiles, under the strictest options', () => {
    const blocks = blocksOf(readFileSync(GUIDE, 'utf8'));
    expect(blocks.size).toBeGreaterThan(10);
    const { options } = ts.getParsedCommandLineOfConfigFile(
      join(ROOT, 'tsconfig.json'),
      {},
      {
        ...ts.sys,
        onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
          throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, ' '));
        },
      },
    )!;
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile } = host;
    host.fileExists = (path) => blocks.has(path) || fileExists(path);
    host.readFile = (path) => blocks.get(path) ?? readFile(path);
    const program = ts.createProgram(
      [...blocks.keys()],
      { ...options, noEmit: true, incremental: false },
      host,
    );
    const problems = [...blocks.keys()].flatMap((path) =>
      [
        ...program.getSemanticDiagnostics(program.getSourceFile(path)),
        ...program.getSyntacticDiagnostics(program.getSourceFile(path)),
      ].map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
    );
    expect(problems).toEqual([]);
  }, 60_000);
});
