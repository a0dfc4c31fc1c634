import type { DeletionCounts } from '@dacapo/protocol';
import type { MetaTransaction } from './transaction.js';

/** Runs in the transaction that deletes, so that a killed process counts nothing twice. */
export async function countDeleted(
  db: MetaTransaction,
  accountId: string,
  deletionId: string | undefined,
  counts: Partial<DeletionCounts>,
): Promise<void> {
  if (deletionId === undefined) return;
  await db.insertAll(
    'deletion_counts',
    Object.entries(counts).map(([name, count]) => ({
      account_id: accountId,
      deletion_id: deletionId,
      name,
      count,
    })),
    'ON CONFLICT(account_id, deletion_id, name) DO UPDATE SET count = deletion_counts.count + excluded.count',
  );
}

export async function readDeletionCounts(
  db: MetaTransaction,
  accountId: string,
  deletionId: string,
): Promise<Partial<DeletionCounts>> {
  const rows = await db.all<{ name: string; count: number }>(
    `SELECT name, count FROM deletion_counts
      WHERE account_id = :accountId AND deletion_id = :deletionId AND name NOT LIKE 'part %'`,
    { accountId, deletionId },
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
