import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rolldown } from 'rolldown';
import { compiledDir, entriesOf, moduleKinds } from '../workspace.mjs';
import { readDeclarations } from './declarations.mjs';
import { writeFolder } from './write-folder.mjs';

/**
 * Makes of a library's compiled modules what applications load: a file for each entry, one core for all that entries need,
 * and a file for what the source asks for later, by `import()` or `require` (docs/adr/0008). Other packages stay imports.
 * The code stays as it was written, without comments; its source map leads to the lines of the TypeScript.
 */
export async function bundle(library) {
  const from = compiledDir(library);
  // The compiled modules can be loaded as they are, too: benchmarks of single stages do.
  writeFileSync(join(from, 'package.json'), '{"type":"module"}\n');
  const pathOf = (entry) => join(from, `${entry}.js`);
  const entries = entriesOf(library);
  const later = library.manifest.dacapo.entries ?? [];
  const graph = new Map();
  const core = () => reachedFrom(entries.map(pathOf), graph);
  const build = await rolldown({
    input: Object.fromEntries([...entries, ...later].map((entry) => [entry, pathOf(entry)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    experimental: { attachDebugInfo: 'none' },
    // On a slow machine it would tell whoever builds how long our own plugins took.
    checks: { pluginTimings: false },
    preserveEntrySignatures: 'allow-extension',
    plugins: [sourceMapsOfTsc, requiresStay, imported(graph)],
  });
  for (const kind of moduleKinds(library)) {
    let ids;
    const { output } = await build.generate({
      ...OUTPUT,
      format: kind,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: library.name, test: (id) => (ids ??= core()).has(id) }],
      },
    });
    const files = {
      ...Object.fromEntries(output.map((file) => [file.fileName, file.code ?? mapOfLines(file.source)])),
      ...readDeclarations(from, entries),
    };
    writeFolder(join(library.dir, 'dist', kind), files, ['package.json']);
  }
  await build.close();
}

/** The modules that these import, and what those import, without the entries themselves. */
function reachedFrom(entries, graph) {
  const reached = new Set(entries);
  for (const id of reached) for (const next of graph.get(id) ?? []) reached.add(next);
  for (const id of entries) reached.delete(id);
  return reached;
}

/** Notes who imports whom while the modules are read. */
const imported = (graph) => ({
  name: 'imported',
  moduleParsed: ({ id, importedIds }) => {
    graph.set(id, importedIds);
  },
});

/**
 * A source map without columns and names: where a frame of a stack, or a breakpoint, is in the TypeScript needs its line. That
 * is a third of what applications would download otherwise.
 */
function mapOfLines(source) {
  const map = JSON.parse(source);
  const mappings = decode(map.mappings).map((segments) => {
    const [, file, line] = segments.find((segment) => segment.length > 1) ?? [];
    return file === undefined ? [] : [[0, file, line, 0]];
  });
  return JSON.stringify({ ...map, names: [], mappings: encode(mappings) });
}

/** A `require` in the source loads another file of the package, at that moment. */
const requiresStay = {
  name: 'requires-stay',
  resolveId: (id, _importer, { kind }) => (kind === 'require-call' ? { id, external: true } : null),
};

/** What tsc compiled comes with its map, so that the bundle's map leads on to the TypeScript. */
const sourceMapsOfTsc = {
  name: 'source-maps-of-tsc',
  load: (path) =>
    existsSync(`${path}.map`)
      ? { code: readFileSync(path, 'utf8'), map: readFileSync(`${path}.map`, 'utf8') }
      : null,
};

const OUTPUT = {
  chunkFileNames: '[name].js',
  sourcemap: true,
  comments: false,
  minifyInternalExports: false,
  // As tsc writes CommonJS: strict, marked as made of an ES module, and without `import()`, which Jest refuses there.
  strict: true,
  esModule: true,
  dynamicImportInCjs: false,
};
