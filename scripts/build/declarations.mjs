import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g;

/** Reads only the declarations that the entries reach, by path: most modules have no public type. */
export function readDeclarations(dir, entries) {
  const texts = {};
  const read = (path) => {
    if (path in texts) return;
    texts[path] = readFileSync(join(dir, path), 'utf8');
    for (const [, target] of texts[path].matchAll(RELATIVE_IMPORT))
      read(posix.join(posix.dirname(path), `${target}.d.ts`));
  };
  for (const entry of entries) read(`${entry}.d.ts`);
  return texts;
}
