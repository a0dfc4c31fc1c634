import type { MetaTransaction } from '../../../meta/transaction.js';

/** Batches of an account share this lock. Deletions need it exclusively. */
export async function lockAccount(
  db: MetaTransaction,
  accountId: string,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await db.all(`SELECT ${lock}(hashtextextended(:accountId, 0))`, { accountId });
}
