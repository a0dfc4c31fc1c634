import type { CliIo } from '../io.js';
import { CLEAR_LINE } from './waiting-line.js';

/** Runs `work`, which shows its progress on one line of a terminal. Without a terminal, nothing is shown. */
export async function showProgress<T>(
  { stderr }: Pick<CliIo, 'stderr'>,
  work: (show: (text: string) => void) => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true) return work(() => undefined);
  try {
    return await work((text) => {
      stderr.write(`${CLEAR_LINE}${text}`);
    });
  } finally {
    stderr.write(CLEAR_LINE);
  }
}
