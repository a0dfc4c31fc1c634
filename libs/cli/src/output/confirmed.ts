import { NotConfirmedError } from '../errors.js';
import type { CliIo } from '../io.js';

/**
 * Returns once a person said yes to what cannot be undone, or `--yes` did before.
 *
 * @throws NotConfirmedError when he said no, or nobody can be asked
 */
export async function confirmed(io: CliIo, { yes }: { yes?: true }, what: string): Promise<void> {
  if (yes) return;
  const answer = await io.confirm(`${what} Go on? [y/N] `);
  if (answer !== true) throw new NotConfirmedError(what, answer === undefined);
}
