import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../..');

/** With the least number of TypeScript blocks that each shows. */
const GUIDES: readonly [document: string, atLeast: number][] = [
  ['docs/nestjs.md', 6],
  ['docs/nestjs-context.md', 6],
  ['docs/nestjs-replay.md', 4],
  ['docs/delivery.md', 1],
  ['docs/clients.md', 5],
  ['docs/usage.md', 1],
  ['docs/tracer.md', 3],
  ['docs/replay.md', 2],
  ['docs/indexes.md', 2],
  ['docs/evaluation.md', 5],
  ['docs/gate.md', 1],
  ['docs/datasets.md', 1],
  ['docs/node.md', 2],
  ['libs/collector/README.md', 1],
];

/**
 * The TypeScript blocks of a guide as modules in this folder, with the names that the guide gives them. What a block uses of its reader's
 * code is declared in a comment above it: `<!-- given … -->`.
 */
function extractBlocks(document: string): Map<string, string> {
  const guide = readFileSync(join(ROOT, document), 'utf8');
  const blocks = [
    ...guide.matchAll(/(?:^<!-- file: src\/(\S+) -->\n|^<!-- given\n([^]*?)-->\n)?^```ts\n([^]*?)^```$/gm),
  ];
  return new Map(
    blocks.map(({ 1: name, 2: given = '', 3: code = '', index }) => {
      const line = guide.slice(0, index).split('\n').length;
      return [join(__dirname, name ?? `${document.replace(/\W/g, '-')}-line-${line}.mts`), given + code];
    }),
  );
}

/** One program for the modules of all guides: most of its time goes into what they import. */
function createProgram(modules: ReadonlyMap<string, string>): ts.Program {
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
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.readFile = (path) => modules.get(path) ?? readFile(path);
  return ts.createProgram(
    [...modules.keys()],
    // Everyone writes `process.env.PORT`.
    { ...options, noEmit: true, incremental: false, noPropertyAccessFromIndexSignature: false },
    host,
  );
}

describe('the code of each guide compiles with the strictest options', () => {
  const guides = new Map(GUIDES.map(([document]) => [document, extractBlocks(document)]));
  let program: ts.Program;

  beforeAll(() => {
    program = createProgram(new Map([...guides.values()].flatMap((blocks) => [...blocks])));
  });

  it.each(GUIDES)('%s', (document, atLeast) => {
    const paths = [...(guides.get(document)?.keys() ?? [])];
    expect(paths.length).toBeGreaterThanOrEqual(atLeast);
    const problems = paths.flatMap((path) =>
      [
        ...program.getSemanticDiagnostics(program.getSourceFile(path)),
        ...program.getSyntacticDiagnostics(program.getSourceFile(path)),
      ].map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
    );
    expect(problems).toEqual([]);
  });
});
