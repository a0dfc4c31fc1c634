import { formatTimestamp } from '@dacapo/protocol';
import type { SpanNode } from '../../../span-store.js';
import type { Connection } from '../connection.js';

type NodeRow = [
  traceId: string,
  spanId: string,
  parentId: string | null,
  traceFunctionKey: string,
  status: SpanNode['status'],
  testRunId: string | null,
  startedUs: number,
  durationMs: number | null,
  payloadBytes: number,
];

/** All rows as one text: a trace may have tens of thousands, and each value that leaves SQLite by itself costs more. */
const SELECT = `SELECT json_group_array(
    json_array(trace_id, span_id, parent_id, trace_function_key, status, test_run_id, started_us, duration_ms,
      payload_bytes)
    ORDER BY started_us, span_no) AS rows
  FROM spans`;

const IN_TRACES = 'account_id = ?1 AND trace_id IN (SELECT value FROM json_each(?2))';

const ALL = `${SELECT} WHERE ${IN_TRACES}`;

/** Calls of a key, and their parents, and theirs. A union takes each row once, so that a circle of parents ends. */
const LINEAGE = `WITH RECURSIVE lineage(span_no, trace_id, parent_id) AS (
    SELECT span_no, trace_id, parent_id FROM spans WHERE ${IN_TRACES} AND trace_function_key = ?3
    UNION
    SELECT p.span_no, p.trace_id, p.parent_id
    FROM lineage l JOIN spans p ON p.account_id = ?1 AND p.trace_id = l.trace_id AND p.span_id = l.parent_id
  )
  ${SELECT} WHERE span_no IN (SELECT span_no FROM lineage)`;

export async function listNodes(
  database: Connection,
  accountId: string,
  traceIds: string[],
  lineageOf: string | undefined,
): Promise<SpanNode[]> {
  const traces = JSON.stringify(traceIds);
  const [answer] = await (lineageOf === undefined
    ? database.all<{ rows: string }>(ALL, [accountId, traces])
    : database.all<{ rows: string }>(LINEAGE, [accountId, traces, lineageOf]));
  return (JSON.parse(answer?.rows ?? '[]') as NodeRow[]).map((row) => ({
    trace_id: row[0],
    span_id: row[1],
    parent_id: row[2],
    trace_function_key: row[3],
    status: row[4],
    test_run_id: row[5],
    started_at: formatTimestamp(row[6]),
    duration_ms: row[7],
    payload_bytes: row[8],
  }));
}
