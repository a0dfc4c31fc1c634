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
 * Looks through all pages of a database, which may be in use, with a low priority. Whatever becomes of the check, it
 * no longer touches the database once this is settled.
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
  // Secrets of the environment are none of its business.
  const options = { env: {}, windowsHide: true, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    let answer: { error: Error | null; stdout: string };
    const checking = execFile(process.execPath, args, options, (error, stdout) => {
      answer = { error, stdout };
      // An aborted process gets a signal, and takes a moment to end.
      if (checking.pid === undefined || checking.exitCode !== null || checking.signalCode !== null) settle();
      else checking.once('exit', settle);
    });
    function settle(): void {
      const { error, stdout } = answer;
      if (error === null) resolve(JSON.parse(stdout) as string[]);
      else reject(new StorageError(`the check of the database ended early: ${error.message}`, error));
    }
  });
}
