import { writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { compiledDir, entriesOf, moduleKinds } from '../workspace.mjs';
import { readDeclarations } from './declarations.mjs';
import { writeFolder } from './write-folder.mjs';

/**
 * Makes of a library's compiled modules what applications load: a file for each entry, and one for what entries share
 * (docs/adr/0005). Comments go, names and lines stay, so that a stack trace can be read. Other packages stay imports.
 */
export async function bundle(library) {
  const from = compiledDir(library);
  // The compiled modules can be loaded as they are, too: benchmarks of single stages do.
  writeFileSync(join(from, 'package.json'), '{"type":"module"}\n');
  const entries = [...entriesOf(library), ...(library.manifest.dacapo.entries ?? [])];
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(from, `${entry}.js`)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    experimental: { attachDebugInfo: 'none' },
  });
  for (const kind of moduleKinds(library)) {
    const { output } = await build.generate({ ...OUTPUT, format: kind });
    const code = Object.fromEntries(output.map((chunk) => [chunk.fileName, chunk.code]));
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
};
