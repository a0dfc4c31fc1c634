import { NotConfirmedError } from '../errors.js';
import type { CliIo } from '../io.js';

/**
 * Asks for confirmation of an action that cannot be undone, unless `--yes` is set.
 *
 * @throws NotConfirmedError when the answer is no, or there is no terminal
 */
export async function requireConfirmation(io: CliIo, { yes }: { yes?: true }, what: string): Promise<void> {
  if (yes) return;
  const answer = await io.confirm(`${what} Go on? [y/N] `);
  if (answer !== true) throw new NotConfirmedError(what, answer !== undefined);
}
