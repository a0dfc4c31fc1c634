import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { StorageError } from '../../../../errors.js';

export interface CheckOptions {
  /** Checks pages and rows, but does not compare indexes with their tables. Several times as fast. */
  quick?: boolean;
  /** Ends the check early. */
  signal?: AbortSignal;
}

/**
 * Checks all pages of a database, which may be in use, with a low priority. Once the promise settles, the check no longer touches the
 * database.
 *
 * @returns at most 20 findings of damage
 * @throws StorageError if the database cannot be checked, or `signal` ended the check
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
  // The check gets no environment, because it may contain secrets.
  const options = { env: {}, windowsHide: true, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    let answer: { error: Error | null; stdout: string };
    const checking = execFile(process.execPath, args, options, (error, stdout) => {
      answer = { error, stdout };
      // An aborted process gets a signal and takes a moment to end.
      if (checking.pid === undefined || checking.exitCode !== null || checking.signalCode !== null) settle();
      else checking.once('exit', settle);
    });
    function settle(): void {
      const { error, stdout } = answer;
      if (error === null) resolve(JSON.parse(stdout) as string[]);
      else reject(new StorageError(`the database check ended early: ${error.message}`, error));
    }
  });
}
