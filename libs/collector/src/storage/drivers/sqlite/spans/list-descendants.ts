import type { Page, RecordedDescendant } from '@dacapo/protocol';
import { decodeCursor, encodeCursor, type PageRequest } from '../../../pages.js';
import type { Connection } from '../connection.js';
import { takeWithin } from '../take-within.js';
import { readCallRows, toRecordedCall } from './read-calls.js';

interface NarrowRow {
  span_no: number;
  span_id: string;
  parent_id: string | null;
  started_us: number;
  payload_bytes: number;
}

/** The calls below a span, in the order in which they started; `undefined` when there is no such span. */
export async function listDescendants(
  database: Connection,
  { accountId, traceId, spanId }: { accountId: string; traceId: string; spanId: string },
  page: PageRequest,
): Promise<Page<RecordedDescendant> | undefined> {
  const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor, [0, 0]);
  const spans = await database.all<NarrowRow>(
    `SELECT span_no, span_id, parent_id, started_us, payload_bytes FROM spans
      WHERE account_id = ? AND trace_id = ? ORDER BY started_us, span_no`,
    [accountId, traceId],
  );
  if (!spans.some((span) => span.span_id === spanId)) return undefined;
  const below = spansBelow(spans, spanId);
  const left = spans.filter((span) => below.has(span) && (after === undefined || isAfter(span, after)));
  const kept = takeWithin(left.slice(0, page.limit), (span) => span.payload_bytes);
  const last = kept.at(-1);
  const rows = await readCallRows(
    database,
    kept.map((span) => span.span_no),
  );
  return {
    items: rows.map((row) => ({
      ...toRecordedCall(row),
      parent_id: row.parent_id ?? '',
      trace_function_key: row.trace_function_key,
    })),
    ...(left.length > kept.length && last && { next_cursor: encodeCursor([last.started_us, last.span_no]) }),
  };
}

/** Each span once, and not the first one again: a hostile trace may make its parents a circle. */
function spansBelow(spans: readonly NarrowRow[], spanId: string): Set<NarrowRow> {
  const children = new Map<string | null, NarrowRow[]>();
  for (const span of spans) {
    const siblings = children.get(span.parent_id);
    if (siblings === undefined) children.set(span.parent_id, [span]);
    else siblings.push(span);
  }
  const below = new Set<NarrowRow>();
  const parents = [spanId];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const child of children.get(parent) ?? []) {
      if (child.span_id === spanId || below.has(child)) continue;
      below.add(child);
      parents.push(child.span_id);
    }
  }
  return below;
}

function isAfter(span: NarrowRow, [startedUs = 0, spanNo = 0]: readonly number[]): boolean {
  return span.started_us > startedUs || (span.started_us === startedUs && span.span_no > spanNo);
}
