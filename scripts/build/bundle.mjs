import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rolldown } from 'rolldown';
import { compiledDir, MODULE_KINDS } from '../workspace.mjs';
import { readDeclarations } from './declarations.mjs';
import { writeFolder } from './write-folder.mjs';

/**
 * Bundles a library's compiled modules as ES modules and as CommonJS (docs/adr/0061). Other packages stay imports. The code is not
 * minified, but has no comments; source maps point to the TypeScript lines.
 */
export async function bundle(library) {
  // Benchmarks of single stages load the unbundled modules.
  writeFileSync(join(compiledDir(library), 'package.json'), '{"type":"module"}\n');
  for (const kind of MODULE_KINDS) {
    const { entries, keepsModules = false } = library.layout;
    const texts = await generate(kind, library);
    Object.assign(texts, readDeclarations(compiledDir(library), entries));
    if (keepsModules) Object.assign(texts, plainFiles(library));
    writeFolder(join(library.dir, 'dist', kind), texts, ['package.json']);
  }
}

async function generate(kind, library) {
  const from = compiledDir(library);
  const toPath = (entry) => join(from, `${entry}.js`);
  const { entries, alone = [], required = [], keepsModules = false } = library.layout;
  const files = [...entries, ...alone, ...(kind === 'cjs' ? required : [])];
  const graph = new Map();
  const build = await rolldown({
    input: Object.fromEntries(files.map((entry) => [entry, toPath(entry)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    experimental: { attachDebugInfo: 'none' },
    // Suppresses warnings about slow plugins on slow machines.
    checks: { pluginTimings: false },
    preserveEntrySignatures: 'allow-extension',
    // Modules that are loaded by path must keep all exports.
    treeshake: !keepsModules,
    transform: { define: kind === 'esm' ? FILE_OF_ES_MODULE : {} },
    plugins: [sourceMapsOfTsc, plainFilesStay, kind === 'esm' ? esmVariants : requiresStay, imported(graph)],
  });
  const { output } = await build.generate({
    ...OUTPUT,
    format: kind,
    // Paths in source maps are relative to this folder.
    dir: join(library.dir, 'dist', kind),
    ...(keepsModules
      ? { preserveModules: true, preserveModulesRoot: from }
      : { codeSplitting: coreAndLater(library, graph) }),
  });
  await build.close();
  const isStart = ({ fileName }) =>
    kind === 'esm' && library.layout.core !== undefined && fileName === `${library.name}.js`;
  return Object.fromEntries(
    output.map((file) => [
      file.fileName,
      file.code === undefined ? mapLines(file.source) : isStart(file) ? pastIndex(file.code) : file.code,
    ]),
  );
}

/**
 * The start of an application imports the protocol's core instead of its index, because esbuild loads everything that a file
 * re-exports. A name outside the core fails at link time.
 */
function pastIndex(code) {
  return code.replace(/(?<=^import [^;]* from )"@dacapo\/protocol"(?=;$)/gm, '"@dacapo/protocol/core"');
}

/**
 * Groups the modules that every application needs in one file and all others in a second one, because bundlers split by file.
 * `core` lists the roots of the first group, `later` modules of the second. What only the index exports is a file of its own: an
 * application that is not bundled loads it at start. What only entries `apart` need stays in their files.
 */
function coreAndLater(library, graph) {
  const from = compiledDir(library);
  const { entries, apart = [], later = [] } = library.layout;
  const joined = entries.filter((entry) => !apart.includes(entry));
  const { core = joined } = library.layout;
  const toIds = (modules) => modules.map((path) => join(from, `${path}.js`));
  const reached = new Map();
  const isReachedFrom = (modules) => (id) => {
    if (!reached.has(modules)) reached.set(modules, reachedFrom(toIds(modules), graph));
    return reached.get(modules).has(id);
  };
  const laterIds = new Set(toIds(later));
  const entryIds = new Set(toIds(entries));
  const groups = [
    { name: library.name, test: (id) => !laterIds.has(id) && isReachedFrom(core)(id) },
    ...(library.layout.core === undefined
      ? []
      : [{ name: `${library.name}-exports`, test: isReachedFrom(['index']) }]),
    { name: `${library.name}-later`, test: isReachedFrom(joined) },
  ].map(({ name, test }, index) => ({
    name,
    test: (id) => !entryIds.has(id) && test(id),
    priority: 2 - index,
  }));
  return { includeDependenciesRecursively: false, groups };
}

/** Files that tsc does not copy, by path: scripts for threads and processes, and data. */
function plainFiles({ dir }) {
  const src = join(dir, 'src');
  const paths = readdirSync(src, { recursive: true }).filter((path) => /\.(cjs|json)$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(src, path), 'utf8')]));
}

/** The modules and everything that they import, directly or not. */
function reachedFrom(modules, graph) {
  const reached = new Set(modules);
  for (const id of reached) for (const next of graph.get(id) ?? []) reached.add(next);
  return reached;
}

/** Collects the import graph while rolldown reads the modules. */
const imported = (graph) => ({
  name: 'imported',
  moduleParsed: ({ id, importedIds }) => {
    graph.set(id, importedIds);
  },
});

/**
 * Removes columns and names from a source map: stack frames and breakpoints need only lines. This shrinks the download to a
 * third.
 */
function mapLines(source) {
  const map = JSON.parse(source);
  const mappings = decode(map.mappings).map((segments) => {
    const [, file, line] = segments.find((segment) => segment.length > 1) ?? [];
    return file === undefined ? [] : [[0, file, line, 0]];
  });
  return JSON.stringify({ ...map, names: [], mappings: encode(mappings) });
}

/** Keeps `require` calls in the source, which load another file of the package lazily. */
const requiresStay = {
  name: 'requires-stay',
  resolveId: (id, _importer, { kind }) => (kind === 'require-call' ? { id, external: true } : null),
};

/** Keeps scripts that also run from the sources out of bundles. */
const plainFilesStay = {
  name: 'plain-files-stay',
  resolveId: (id) => (id.startsWith('.') && id.endsWith('.cjs') ? { id, external: true } : null),
};

/** ES modules cannot `require`, so their build uses `name.esm.ts` instead of `name.ts` where it exists. */
const esmVariants = {
  name: 'esm-variants',
  resolveId: (id, importer) => {
    if (importer === undefined || !id.startsWith('.')) return null;
    const variant = join(importer, '..', id.replace(/\.js$/, '.esm.js'));
    return existsSync(variant) ? variant : null;
  },
};

/** If an application's bundler drops `import.meta`, both are `undefined`. */
const FILE_OF_ES_MODULE = { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' };

/** Loads tsc's source maps, so that the bundle's map points to the TypeScript. */
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
  // CommonJS like that of tsc: strict, marked as an ES module, and without `import()`, which Jest does not support there.
  strict: true,
  esModule: true,
  dynamicImportInCjs: false,
};
