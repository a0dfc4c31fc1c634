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
 * Writes files to a folder and deletes all others, because a package ships the whole folder. Keeps unchanged files and replaces
 * others atomically, so that a running process never loads a partial file.
 *
 * @param files texts by path, relative to `dir`
 * @param kept paths of further files to keep
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
