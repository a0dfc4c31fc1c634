import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { StorageError } from '../../../../errors.js';

export interface CheckOptions {
  /** Pages and rows, without comparing indexes with their tables; some times as fast. */
  quick?: boolean;
  /** Ends the check early. */
  signal?: AbortSignal;
}

/**
 * Looks through all pages of a database, which may be in use, with the lowest priority.
 *
 * @returns what is damaged, at most 20 findings; none when all is sound
 * @throws StorageError when it cannot be checked, or `signal` ended it
 */
export function findDamage(
  databasePath: string,
  { quick = false, signal }: CheckOptions = {},
): Promise<string[]> {
  const args = [
    join(__dirname, 'check-process.cjs'),
    databasePath,
    quick ? 'quick_check' : 'integrity_check',
  ];
  return new Promise((resolve, reject) => {
    // Secrets of the environment are none of its business.
    const options = { env: {}, windowsHide: true, ...(signal && { signal }) };
    execFile(process.execPath, args, options, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as string[]);
      else reject(new StorageError(`the check of the database ended early: ${error.message}`, error));
    });
  });
}
