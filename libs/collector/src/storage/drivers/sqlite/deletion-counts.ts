import type { DeletionCounts } from '@dacapo/protocol';
import type { Reader, Step } from './connection.js';

const ADD = `INSERT INTO deletion_counts(count, account_id, deletion_id, name) VALUES (?, ?, ?, ?)
  ON CONFLICT(account_id, deletion_id, name) DO UPDATE SET count = count + excluded.count`;

/** Counts what the step before it changed, in the same transaction: a process that is killed loses no count. */
export function countStep(
  accountId: string,
  deletionId: string | undefined,
  name: keyof DeletionCounts,
): Step {
  const rows = deletionId === undefined ? [] : [[accountId, deletionId, name]];
  return { sql: ADD, rows, countsPrevious: true };
}

export async function readDeletionCounts(
  reader: Reader,
  accountId: string,
  deletionId: string,
): Promise<Partial<DeletionCounts>> {
  const rows = await reader.all<{ name: string; count: number }>(
    'SELECT name, count FROM deletion_counts WHERE account_id = ? AND deletion_id = ?',
    [accountId, deletionId],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
