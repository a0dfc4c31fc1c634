import type { MetaTransaction } from '../../../meta/transaction.js';

/** Batches of an account are stored side by side; what takes away from it waits for them, and they for it. */
export async function lockAccount(
  db: MetaTransaction,
  accountId: string,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await db.all(`SELECT ${lock}(hashtextextended(:accountId, 0))`, { accountId });
}
