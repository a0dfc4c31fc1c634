import type { RunCandidate, TraceGroup } from '@dacapo/protocol';
import type { MetaTransaction } from '../meta/transaction.js';

const MOST_VALUES = 10;

export async function readRunCandidate(
  db: MetaTransaction,
  accountId: string,
  testRunId: string,
): Promise<RunCandidate> {
  const listValues = async (column: TraceGroup): Promise<string[]> => {
    const rows = await db.all<{ value: string }>(
      `SELECT DISTINCT ${column} AS value FROM traces WHERE account_id = :accountId AND test_run_id = :testRunId AND ${column} IS NOT NULL`,
      { accountId, testRunId },
    );
    const values = rows.flatMap(({ value }) => (column === 'tags' ? (JSON.parse(value) as string[]) : value));
    return [...new Set(values)].sort().slice(0, MOST_VALUES);
  };
  return {
    user_id: await listValues('user_id'),
    tags: await listValues('tags'),
    environment: await listValues('environment'),
    release: await listValues('release'),
  };
}
