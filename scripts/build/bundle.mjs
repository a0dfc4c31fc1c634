import { writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { compiledDir, entriesOf, moduleKinds } from '../workspace.mjs';
import { readDeclarations } from './declarations.mjs';
import { writeFolder } from './write-folder.mjs';

/**
 * Makes of a library's compiled modules what applications load: a file for each entry, and one for what entries share
 * (docs/adr/0005). Comments go, names and lines stay, so that a stack trace can be read. Other packages stay imports.
 *
 * The folders that the manifest calls `lazy` get a file each, which CommonJS loads at its first use.
 */
export async function bundle(library) {
  const from = compiledDir(library);
  // The compiled modules can be loaded as they are, too: benchmarks of single stages do.
  writeFileSync(join(from, 'package.json'), '{"type":"module"}\n');
  const entries = [...entriesOf(library), ...(library.manifest.dacapo.entries ?? [])];
  const lazy = library.manifest.dacapo.lazy ?? [];
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(from, `${entry}.js`)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    experimental: { attachDebugInfo: 'none' },
    ...(lazy.length > 0 && { preserveEntrySignatures: 'allow-extension' }),
  });
  for (const kind of moduleKinds(library)) {
    const { output } = await build.generate({
      ...OUTPUT,
      format: kind,
      ...(lazy.length > 0 && { codeSplitting: inFilesOfTheirOwn(lazy, from) }),
    });
    const code = Object.fromEntries(output.map((chunk) => [chunk.fileName, chunk.code]));
    for (const name of lazy) loadAtFirstUse(name, code);
    const files = { ...code, ...readDeclarations(from, entriesOf(library)) };
    writeFolder(join(library.dir, 'dist', kind), files, ['package.json']);
  }
  await build.close();
}

const OUTPUT = {
  chunkFileNames: '[name].js',
  comments: false,
  minifyInternalExports: false,
  // As tsc writes CommonJS: strict, marked as made of an ES module, and without `import()`, which Jest refuses there.
  strict: true,
  esModule: true,
  dynamicImportInCjs: false,
  // What the engine would drop while it parses; statements stay as they are.
  minify: {
    compress: { sequences: false, joinVars: false, keepNames: { function: true, class: true } },
    mangle: false,
    codegen: { removeWhitespace: false },
  },
};

function inFilesOfTheirOwn(folders, from) {
  const inFolder = (name) => (id) => id.startsWith(join(from, name, '/'));
  return {
    includeDependenciesRecursively: false,
    groups: folders.map((name) => ({ name, test: inFolder(name) })),
  };
}

/** Makes the file's `require` one where a name of it is used. */
function loadAtFirstUse(name, code) {
  const eager = `const require_${name} = require("./${name}.js");`;
  const users = Object.keys(code).filter((file) => code[file].includes(eager));
  if (users.length === 0)
    throw new Error(`No file loads ${name}.js: has rolldown changed how it writes that?`);
  for (const file of users) {
    const uses = code[file].matchAll(new RegExp(`\\brequire_${name}\\.(\\w+)`, 'g'));
    const names = new Set(Array.from(uses, ([, used]) => used));
    const getters = Array.from(
      names,
      (used) => `\tget ${used}() { return require("./${name}.js").${used}; }`,
    ).join(',\n');
    code[file] = code[file].replace(eager, `const require_${name} = {\n${getters}\n};`);
  }
}
