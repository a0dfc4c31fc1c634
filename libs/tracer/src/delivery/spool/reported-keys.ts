import { promises } from 'node:fs';
import { join } from 'node:path';
import { realEpochMs } from '../../context/clock.js';

const FILE = 'reported-keys';
const REPORT_AGAIN_MS = 24 * 60 * 60_000;

/**
 * Whether no process reported these folders during the last day. Notes that this process reports them. Never rejects.
 *
 * @param root the folder of all services and keys
 */
export async function areNewKeys(root: string, folders: readonly string[]): Promise<boolean> {
  const path = join(root, FILE);
  const text = `${folders.toSorted().join('\n')}\n`;
  try {
    const [reported, { mtimeMs }] = await Promise.all([promises.readFile(path, 'utf8'), promises.stat(path)]);
    if (reported === text && realEpochMs() - mtimeMs < REPORT_AGAIN_MS) return false;
  } catch {
    // Nothing was reported yet.
  }
  await promises.writeFile(path, text, { mode: 0o600 }).catch(() => undefined);
  return true;
}
