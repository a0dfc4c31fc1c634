import {
  type JsonValue,
  LIMITS,
  parseTimestamp,
  type TraceFact,
  TraceFacts,
  type TraceLabel,
  type TraceRecord,
} from '@dacapo/protocol';
import type { FoundTrace, KnownTrace, Range, SpanPosition } from '../../../ports/span-store.js';
import type { Reader } from '../connection.js';
import {
  LABEL_COLUMNS,
  type SaidColumn,
  SPAN_COLUMNS,
  type SpanSummaryRow,
  TRACE_COLUMNS,
  type TraceRow,
} from '../../../spans/rows.js';
import { toFoundTrace } from '../../../spans/summaries.js';

const SPAN_SUMMARY_COLUMNS = `${SPAN_COLUMNS}, CASE WHEN source_span_id IS NOT NULL THEN
  (SELECT meta ->> '$.mocked' FROM span_payloads WHERE span_no = spans.span_no) END AS mocked`;

/** Joins by number and trace, because another span may have the number of a deleted root. */
export const JOIN_ROOT = `LEFT JOIN spans r
  ON r.span_no = t.root_span_no AND +r.account_id = t.account_id AND +r.trace_id = t.trace_id AND +r.span_id = t.root_span_id`;

interface AttributeRow {
  trace_id: string;
  kind: 'metadata' | 'context';
  key: string;
  value: string;
  said_us: number;
}

export async function findTrace(
  database: Reader,
  accountId: string,
  traceId: string,
  { limit, after }: Range<SpanPosition> = { limit: LIMITS.spansOfTrace },
): Promise<FoundTrace | undefined> {
  const [[trace], [record], spans] = await Promise.all([
    database.all<TraceRow & { started_by: string | null; links: string | null }>(
      `SELECT ${TRACE_COLUMNS}, (SELECT meta -> '$.started_by' FROM span_payloads WHERE span_no = r.span_no) AS started_by,
        (SELECT meta -> '$.links' FROM span_payloads WHERE span_no = r.span_no) AS links
        FROM traces t ${JOIN_ROOT} WHERE t.account_id = ? AND t.trace_id = ?`,
      [accountId, traceId],
    ),
    readTraces(database, accountId, [traceId]),
    database.all<SpanSummaryRow & { span_no: number }>(
      `SELECT span_no, ${SPAN_SUMMARY_COLUMNS} FROM spans WHERE account_id = ? AND trace_id = ?
        ${after === undefined ? '' : 'AND (started_us, span_no) > (?, ?)'} ORDER BY started_us, span_no LIMIT ?`,
      [accountId, traceId, ...(after === undefined ? [] : [parseTimestamp(after[0]), after[1]]), limit + 1],
    ),
  ]);
  if (!trace) return undefined;
  const origin = {
    started_by: JSON.parse(trace.started_by ?? 'null') as unknown,
    links: JSON.parse(trace.links ?? 'null') as unknown,
  };
  return toFoundTrace(accountId, { trace, origin, record, spans }, limit);
}

export async function readTraces(
  database: Reader,
  accountId: string,
  traceIds: string[],
): Promise<TraceRecord[]> {
  const known = await readFacts(database, accountId, traceIds);
  return known.map(({ id, facts }) => {
    const counting = new TraceFacts();
    counting.add(facts);
    return counting.toRecord(id);
  });
}

type LabelsRow = Record<TraceLabel, string | null> &
  Record<SaidColumn, number> & {
    trace_id: string;
    tags: string | null;
    tags_us: number;
  };

const LABELS_READ = LABEL_COLUMNS.flatMap(({ label, saidUs }) => [label, saidUs]);

function toLabelFacts(row: LabelsRow): TraceFact[] {
  const { trace_id: traceId, tags, tags_us: taggedUs } = row;
  const labels = LABEL_COLUMNS.flatMap(({ label, saidUs }): TraceFact[] => {
    const text = row[label];
    return text === null ? [] : [{ traceId, kind: label, key: '', value: text, text, saidUs: row[saidUs] }];
  });
  const all = JSON.parse(tags ?? '[]') as string[];
  return [
    ...labels,
    ...all.map((tag): TraceFact => ({
      traceId,
      kind: 'tag',
      key: tag,
      value: true,
      text: tag,
      saidUs: taggedUs,
    })),
  ];
}

export async function readFacts(
  database: Reader,
  accountId: string,
  traceIds: string[],
): Promise<KnownTrace[]> {
  const wanted = [accountId, JSON.stringify(traceIds)];
  const these = 'account_id = ? AND trace_id IN (SELECT value FROM json_each(?))';
  const [traces, attributes] = await Promise.all([
    database.all<LabelsRow>(
      `SELECT trace_id, ${LABELS_READ.join(', ')}, tags, tags_us FROM traces WHERE ${these}`,
      wanted,
    ),
    database.all<AttributeRow>(
      `SELECT trace_id, kind, key, value, said_us FROM trace_attributes WHERE ${these} ORDER BY attribute_no`,
      wanted,
    ),
  ]);
  const byTrace = new Map<string, TraceFact[]>(traces.map(({ trace_id }) => [trace_id, []]));
  for (const row of traces) byTrace.get(row.trace_id)?.push(...toLabelFacts(row));
  for (const { trace_id: traceId, kind, key, value: text, said_us: saidUs } of attributes) {
    byTrace.get(traceId)?.push({ traceId, kind, key, value: JSON.parse(text) as JsonValue, text, saidUs });
  }
  return Array.from(byTrace, ([id, facts]) => ({ id, facts }));
}
