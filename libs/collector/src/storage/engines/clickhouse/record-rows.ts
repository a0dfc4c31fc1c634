import type { TraceFact } from '@dacapo/protocol';
import { type EncodedSpan, toSpanRow } from '../../spans/encode-spans.js';
import { encodeFacts } from '../../spans/derive-trace.js';
import type { SpanRow } from '../../spans/rows.js';
import type { StoredSpan } from '../../rules/span-usage.js';

/** Ranks of a record among the records of its span. Once a record is finished, only the first finished one counts. */
export const FINISHED = 2;
const BEGUN = 1;
const CONTINUING = 0;

/** The position of a row in the order of arrival. */
interface RowPlace {
  row_no: number;
  received_us: number;
}

/** The columns of `span_records` that a trace is derived from. */
export interface RecordRow extends SpanRow, RowPlace {
  parts: number;
  rank: number;
  facts: string;
}

/** @param said the record's facts about its trace */
export function toRecordRow(
  encoded: EncodedSpan,
  said: readonly TraceFact[],
  place: RowPlace & { account_id: string },
) {
  return {
    ...toSpanRow(encoded, place.row_no),
    ...encoded.payload,
    ...place,
    words: ` ${encoded.words} `,
    is_cut: encoded.isCut,
    parts: 1,
    rank: rankSpan(encoded.span),
    facts: toFacts(said),
  };
}

export function toPatchRow(
  traceId: string,
  said: readonly TraceFact[],
  place: RowPlace & { account_id: string },
) {
  return { ...place, trace_id: traceId, parts: 1, facts: toFacts(said) };
}

function toFacts(said: readonly TraceFact[]): string {
  return said.length === 0 ? '' : encodeFacts(said);
}

function rankSpan({ status, span_data: { meta } }: StoredSpan): number {
  if (meta?.continues === true) return CONTINUING;
  return status === 'unfinished' ? BEGUN : FINISHED;
}

/** The row of a span that counts. `WINNER` is the same rule in SQL. */
export function findWinner(rows: readonly RecordRow[]): RecordRow | undefined {
  return rows.reduce<RecordRow | undefined>(
    (best, row) => (best === undefined || isBefore(row, best) ? row : best),
    undefined,
  );
}

function isBefore(left: RecordRow, right: RecordRow): boolean {
  if (left.parts !== right.parts) return left.parts > right.parts;
  if (left.rank !== right.rank) return left.rank > right.rank;
  return left.rank === FINISHED ? left.row_no < right.row_no : left.row_no > right.row_no;
}

/** Whether records of one span must be joined: one continues another, and no row joins all of them yet. */
export function needJoin(rows: readonly RecordRow[]): boolean {
  const arrived = rows.filter(({ parts }) => parts === 1);
  return (
    arrived.length > 1 &&
    arrived.some(({ rank }) => rank === CONTINUING) &&
    !rows.some(({ parts }) => parts === arrived.length)
  );
}
