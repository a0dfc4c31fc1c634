import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g;

/**
 * Copies the type declarations that the entries lead to, and no other: most modules have no type that a user can meet.
 *
 * @returns the paths of the copies, below `to`
 */
export function copyDeclarations(entries, from, to) {
  const copied = new Set();
  const copy = (path) => {
    if (copied.has(path)) return;
    copied.add(path);
    cpSync(join(from, path), join(to, path));
    for (const [, target] of readFileSync(join(from, path), 'utf8').matchAll(RELATIVE_IMPORT))
      copy(normalize(join(dirname(path), `${target}.d.ts`)));
  };
  for (const entry of entries) copy(`${entry}.d.ts`);
  return [...copied];
}
