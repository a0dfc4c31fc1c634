import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/**
 * Leaves these files in a folder and no other: a package ships whatever stands there. What is the same stays untouched
 * and what is new appears whole, so that processes that load the package meanwhile never meet half a file.
 *
 * @param files texts by their path below `dir`
 * @param kept paths of files that someone else writes
 */
export function writeFolder(dir, files, kept) {
  const draft = join(dir, `../draft-${process.pid}`);
  for (const [path, text] of Object.entries(files)) writeWhole(join(dir, path), text, draft);
  const stays = new Set([...Object.keys(files), ...kept].map(normalize));
  for (const path of readdirSync(dir, { recursive: true })) {
    if (!stays.has(path) && statSync(join(dir, path), { throwIfNoEntry: false })?.isFile())
      rmSync(join(dir, path), { force: true });
  }
}

function writeWhole(path, text, draft) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, text);
  renameSync(draft, path);
}
