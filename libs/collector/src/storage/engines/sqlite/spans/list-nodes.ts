import { SPAN_FIELDS } from '../../../ports/trace-filter.js';
import { formatTimestamp } from '@dacapo/protocol';
import type { SpanNode } from '../../../ports/span-store.js';
import type { Reader } from '../connection.js';

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

/** All rows as one text, because a trace may have tens of thousands, and each separate value that leaves SQLite costs more. */
const SELECT = `SELECT json_group_array(
    json_array(trace_id, span_id, parent_id, trace_function_key, status, test_run_id, started_us, duration_ms,
      payload_bytes)
    ORDER BY started_us, span_no) AS rows
  FROM spans`;

const IN_TRACES = 'account_id = ?1 AND trace_id IN (SELECT value FROM json_each(?2))';

const ALL = `${SELECT} WHERE ${IN_TRACES}`;

/** Calls with a key and all their ancestors. `UNION` keeps each row once, so that a cycle of parents ends. */
const LINEAGE = `WITH RECURSIVE lineage(span_no, trace_id, parent_id) AS (
    SELECT span_no, trace_id, parent_id FROM spans WHERE ${IN_TRACES} AND trace_function_key = ?3
    UNION
    SELECT p.span_no, p.trace_id, p.parent_id
    FROM lineage l JOIN spans p ON p.account_id = ?1 AND p.trace_id = l.trace_id AND p.span_id = l.parent_id
  )
  ${SELECT} WHERE span_no IN (SELECT span_no FROM lineage)`;

/** Absent conditions are NULL. */
export const MATCHING_CALLS = `SELECT trace_id, span_id FROM spans WHERE ${IN_TRACES} AND trace_function_key = ?3
  AND ${SPAN_FIELDS.map((name, index) => `(?${index + 4} IS NULL OR ${name} = ?${index + 4})`).join(' AND ')}`;

/** Reads the class from the payload, because few selections need it. */
export const CLASSED_CALLS = `SELECT trace_id, span_id, meta ->> '$.class' AS class_name
  FROM spans JOIN span_payloads USING (span_no)
  WHERE ${IN_TRACES} AND trace_function_key = ?3 AND meta ->> '$.class' IS NOT NULL`;

export async function listNodes(
  database: Reader,
  accountId: string,
  traceIds: string[],
  lineageKey: string | undefined,
): Promise<SpanNode[]> {
  const traces = JSON.stringify(traceIds);
  const [answer] = await (lineageKey === undefined
    ? database.all<{ rows: string }>(ALL, [accountId, traces])
    : database.all<{ rows: string }>(LINEAGE, [accountId, traces, lineageKey]));
  return (JSON.parse(answer?.rows ?? '[]') as NodeRow[]).map((row) => new RowNode(row));
}

/** Formats times on access, because most nodes never need them. */
class RowNode implements SpanNode {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly trace_function_key: string;
  readonly status: SpanNode['status'];
  readonly test_run_id: string | null;
  readonly duration_ms: number | null;
  readonly payload_bytes: number;
  private readonly startedUs: number;

  constructor(row: NodeRow) {
    [
      this.trace_id,
      this.span_id,
      this.parent_id,
      this.trace_function_key,
      this.status,
      this.test_run_id,
      this.startedUs,
      this.duration_ms,
      this.payload_bytes,
    ] = row;
  }

  get started_at(): string {
    return formatTimestamp(this.startedUs);
  }
}
