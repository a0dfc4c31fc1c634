import type { MetaTransaction } from '../../../meta/transaction.js';
import { MATCHES_OF_TRACE, type MatchingSpan, type SpanCondition } from '../../../ports/span-store.js';
import { MATCHING_SPAN_COLUMNS, type MatchingSpanRow, toMatchingSpan } from '../../../spans/rows.js';
import { isOneOf } from '../dialect.js';
import { Conditions } from './conditions.js';
import { spansAmong } from './trace-conditions.js';

export async function findMatchingSpans(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
  { traceFunctionKey, span, parentIds, preferredStatus }: SpanCondition,
): Promise<MatchingSpan[]> {
  const conditions = new Conditions();
  const matching = spansAmong(conditions, accountId, traceFunctionKey, span);
  const isChild =
    parentIds === undefined
      ? ''
      : `AND ${isOneOf('s.parent_id', conditions.bind(JSON.stringify(parentIds)))}`;
  const isPreferred =
    preferredStatus === undefined ? 'TRUE' : `s.status = ${conditions.bind(preferredStatus)}`;
  const rows = await db.all<MatchingSpanRow>(
    `SELECT ${MATCHING_SPAN_COLUMNS} FROM (
      SELECT s.*, ${isPreferred} AS is_preferred, row_number() OVER (PARTITION BY s.trace_id
        ORDER BY ${isPreferred} DESC, s.started_us, s.span_no) AS place
      FROM ${matching} AND ${isOneOf('s.trace_id', conditions.bind(JSON.stringify(traceIds)))} ${isChild}) m
    WHERE place = 1 OR (is_preferred AND place <= ${MATCHES_OF_TRACE}) ORDER BY started_us, span_no`,
    conditions.parameters,
  );
  return rows.map(toMatchingSpan);
}
