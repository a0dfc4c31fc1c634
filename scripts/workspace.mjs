import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Folders of `dist` with code. */
export const MODULE_KINDS = ['cjs', 'esm'];

/** All libraries with an entry, as `{ name, dir, manifest, layout, isPublic }`. */
export function libraries() {
  return readdirSync(join(ROOT, 'libs'))
    .filter((name) => existsSync(join(ROOT, 'libs', name, 'src/index.ts')))
    .map((name) => {
      const dir = join(ROOT, 'libs', name);
      const manifest = readJson(join(dir, 'package.json'));
      return {
        name,
        dir,
        manifest,
        layout: { entries: listEntries({ manifest }), ...manifest.dacapo },
        isPublic: !manifest.private,
      };
    });
}

/** The libraries with these folder names, and those that they depend on. */
export function withDependencies(names) {
  const all = libraries();
  const found = new Set();
  const find = (library) => {
    if (found.has(library)) return;
    found.add(library);
    const { dependencies, peerDependencies } = library.manifest;
    const needed = { ...dependencies, ...peerDependencies };
    all.filter(({ manifest }) => manifest.name in needed).forEach(find);
  };
  all.filter(({ name }) => names.includes(name)).forEach(find);
  return all.filter((library) => found.has(library));
}

/** The source modules of the package's `exports`, such as `['index', 'testing']`. */
export function listEntries({ manifest }) {
  return Object.values(manifest.exports)
    .map((target) => /^\.\/dist\/esm\/(.+)\.js$/.exec(target.import?.default ?? '')?.[1])
    .filter((entry) => entry !== undefined);
}

/** Output folder of tsc for a library. */
export function compiledDir({ name }) {
  return join(ROOT, '.cache/tsc', name);
}

/** Sorted files under a folder, without tests, installed packages and build output. */
function sourceFiles(dir) {
  if (!existsSync(dir)) return [];
  if (statSync(dir).isFile()) return [dir];
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist' && !/\.spec\.tsx?$/.test(name))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      return entry.isDirectory() ? sourceFiles(path) : [path];
    });
}

/** One hash over the paths and contents of files and folders. */
export function hashFiles(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(sourceFiles))
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
