import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rolldown } from 'rolldown';
import { compiledDir, MODULE_KINDS } from '../workspace.mjs';
import { readDeclarations } from './declarations.mjs';
import { writeFolder } from './write-folder.mjs';

/**
 * Builds a library's compiled modules twice, as ES modules and as CommonJS (docs/adr/0061). Other packages stay imports.
 * The code stays as it was written, without comments; its source map leads to the lines of the TypeScript.
 */
export async function bundle(library) {
  // Benchmarks of single stages load the compiled modules as they are.
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
  const pathOf = (entry) => join(from, `${entry}.js`);
  const { entries, alone = [], required = [], keepsModules = false } = library.layout;
  const files = [...entries, ...alone, ...(kind === 'cjs' ? required : [])];
  const graph = new Map();
  const build = await rolldown({
    input: Object.fromEntries(files.map((entry) => [entry, pathOf(entry)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    experimental: { attachDebugInfo: 'none' },
    // On a slow machine it would tell whoever builds how long our own plugins took.
    checks: { pluginTimings: false },
    preserveEntrySignatures: 'allow-extension',
    // Modules that are loaded by path keep all their exports.
    treeshake: !keepsModules,
    transform: { define: kind === 'esm' ? FILE_OF_ES_MODULE : {} },
    plugins: [sourceMapsOfTsc, plainFilesStay, kind === 'esm' ? esmVariants : requiresStay, imported(graph)],
  });
  const { output } = await build.generate({
    ...OUTPUT,
    format: kind,
    // Paths in source maps are relative to it.
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
      file.code === undefined ? mapOfLines(file.source) : isStart(file) ? pastIndex(file.code) : file.code,
    ]),
  );
}

/**
 * The start of an application imports the core of the protocol past its index: esbuild loads with a file all that the file re-exports, be it
 * used or not. A name that is not in the core fails when the module is linked.
 */
function pastIndex(code) {
  return code.replace(/(?<=^import [^;]* from )"@dacapo\/protocol"(?=;$)/gm, '"@dacapo/protocol/core"');
}

/**
 * A file for the modules that every application needs and one for the others, because bundlers split by files: `later` lists modules of
 * the second one, `core` those that lead to the first.
 */
function coreAndLater(library, graph) {
  const from = compiledDir(library);
  const { entries, core = entries, later = [] } = library.layout;
  const idsOf = (modules) => modules.map((path) => join(from, `${path}.js`));
  const reached = new Map();
  const isReachedFrom = (modules) => (id) => {
    if (!reached.has(modules)) reached.set(modules, reachedFrom(idsOf(modules), graph));
    return reached.get(modules).has(id);
  };
  const laterIds = new Set(idsOf(later));
  const entryIds = new Set(idsOf(entries));
  const groups = [
    { name: library.name, test: (id) => !laterIds.has(id) && isReachedFrom(core)(id) },
    { name: `${library.name}-later`, test: isReachedFrom(entries) },
  ].map(({ name, test }, index) => ({
    name,
    test: (id) => !entryIds.has(id) && test(id),
    priority: 1 - index,
  }));
  return { includeDependenciesRecursively: false, groups };
}

/** What tsc does not carry over, by path: scripts for threads and processes, and data. */
function plainFiles({ dir }) {
  const src = join(dir, 'src');
  const paths = readdirSync(src, { recursive: true }).filter((path) => /\.(cjs|json)$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(src, path), 'utf8')]));
}

/** These modules, what they import, and what that imports. */
function reachedFrom(modules, graph) {
  const reached = new Set(modules);
  for (const id of reached) for (const next of graph.get(id) ?? []) reached.add(next);
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

/** A script that runs from the sources too is no part of any bundle. */
const plainFilesStay = {
  name: 'plain-files-stay',
  resolveId: (id) => (id.startsWith('.') && id.endsWith('.cjs') ? { id, external: true } : null),
};

/** ES modules cannot `require`: where the source has `name.esm.ts`, they get that in the place of `name.ts`. */
const esmVariants = {
  name: 'esm-variants',
  resolveId: (id, importer) => {
    if (importer === undefined || !id.startsWith('.')) return null;
    const variant = join(importer, '..', id.replace(/\.js$/, '.esm.js'));
    return existsSync(variant) ? variant : null;
  },
};

/** Where a bundler of an application drops `import.meta`, both are `undefined`. */
const FILE_OF_ES_MODULE = { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' };

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
