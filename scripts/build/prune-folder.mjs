import { readdirSync, rmSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';

/** Removes what an earlier build left: a package ships whatever stands in its folders. `kept` are paths below `dir`. */
export function pruneFolder(dir, kept) {
  const keep = new Set(kept.map(normalize));
  for (const path of readdirSync(dir, { recursive: true })) {
    if (!keep.has(path) && statSync(join(dir, path)).isFile()) rmSync(join(dir, path));
  }
}
