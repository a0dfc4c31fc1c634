import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../..');

/** The TypeScript blocks of a guide as modules beside this file, with the names that the guide gives them. */
function extractBlocks(guide: string): Map<string, string> {
  const blocks = [...guide.matchAll(/(?:^<!-- file: src\/(\S+) -->\n)?^```ts\n([^]*?)^```$/gm)];
  return new Map(
    blocks.map(({ 1: name, 2: code = '', index }) => {
      const line = guide.slice(0, index).split('\n').length;
      return [join(__dirname, name ?? `guide-line-${line}.mts`), code];
    }),
  );
}

/** What the guides import, parsed and bound once for all of them. */
const imported = new Map<string, ts.SourceFile | undefined>();

describe.each([
  ['docs/nestjs.md', 13],
  ['docs/delivery.md', 1],
  ['docs/clients.md', 5],
  ['docs/usage.md', 1],
  ['docs/evaluation.md', 5],
  ['README.md', 2],
  ['libs/collector/README.md', 1],
])('%s', (document, atLeast) => {
  it('shows code that compiles with the strictest options', () => {
    const blocks = extractBlocks(readFileSync(join(ROOT, document), 'utf8'));
    expect(blocks.size).toBeGreaterThanOrEqual(atLeast);
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
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (path) => blocks.has(path) || fileExists(path);
    host.readFile = (path) => blocks.get(path) ?? readFile(path);
    host.getSourceFile = (path, ...how) => {
      if (blocks.has(path)) return getSourceFile(path, ...how);
      if (!imported.has(path)) imported.set(path, getSourceFile(path, ...how));
      return imported.get(path);
    };
    const program = ts.createProgram(
      [...blocks.keys()],
      // Everyone writes `process.env.PORT`.
      { ...options, noEmit: true, incremental: false, noPropertyAccessFromIndexSignature: false },
      host,
    );
    const problems = [...blocks.keys()].flatMap((path) =>
      [
        ...program.getSemanticDiagnostics(program.getSourceFile(path)),
        ...program.getSyntacticDiagnostics(program.getSourceFile(path)),
      ].map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
    );
    expect(problems).toEqual([]);
  });
});
