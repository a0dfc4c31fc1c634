import type { Connection } from '../connection.js';

/** Spans deleted in one write, so that ingests of other accounts wait for a short time only. */
const SPANS_IN_A_WRITE = 2000;

const TABLES = ['traces', 'trace_attributes', 'trace_calls', 'trace_function_keys', 'ingest_batches'];

export async function deleteSpans(database: Connection, accountId: string): Promise<void> {
  let deleted: number | undefined;
  do {
    const [outcome] = await database.write([
      {
        sql: 'DELETE FROM spans WHERE span_no IN (SELECT span_no FROM spans WHERE account_id = ? LIMIT ?)',
        rows: [[accountId, SPANS_IN_A_WRITE]],
      },
    ]);
    deleted = outcome?.changes;
  } while (deleted === SPANS_IN_A_WRITE);
  await database.write(
    TABLES.map((table) => ({ sql: `DELETE FROM ${table} WHERE account_id = ?`, rows: [[accountId]] })),
  );
}
