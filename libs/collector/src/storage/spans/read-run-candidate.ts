import type { RunCandidate } from '@dacapo/protocol';
import type { MetaTransaction } from '../meta/transaction.js';

const MOST_VALUES = 10;

export async function readRunCandidate(
  db: MetaTransaction,
  accountId: string,
  testRunId: string,
): Promise<RunCandidate> {
  const listValues = async (column: 'environment' | 'release'): Promise<string[]> => {
    const rows = await db.all<{ value: string }>(
      `SELECT DISTINCT ${column} AS value FROM traces WHERE account_id = :accountId AND test_run_id = :testRunId AND ${column} IS NOT NULL
        ORDER BY value LIMIT ${MOST_VALUES}`,
      { accountId, testRunId },
    );
    return rows.map(({ value }) => value);
  };
  return { environments: await listValues('environment'), releases: await listValues('release') };
}
