import { MATCHES_OF_TRACE, type MatchingSpan, type SpanCondition } from '../../../ports/span-store.js';
import { MATCHING_SPAN_COLUMNS, type MatchingSpanRow, toMatchingSpan } from '../../../spans/rows.js';
import type { Reader } from '../connection.js';
import { TextSearch } from './text-search.js';
import { spanColumns } from './trace-conditions.js';
import { joinConditions, type Condition } from './trace-walk.js';

export async function findMatchingSpans(
  database: Reader,
  accountId: string,
  traceIds: readonly string[],
  { traceFunctionKey, span, parentIds, preferredStatus }: SpanCondition,
): Promise<MatchingSpan[]> {
  const among = JSON.stringify(traceIds);
  const text = span?.text ?? [];
  const conditions: Condition[] = [
    ['s.account_id = ?', accountId],
    ...spanColumns(traceFunctionKey, span),
    ...(parentIds === undefined
      ? []
      : [['s.parent_id IN (SELECT value FROM json_each(?))', JSON.stringify(parentIds)] satisfies Condition]),
  ];
  let source: Condition = ['json_each(?) w CROSS JOIN spans s ON s.trace_id = w.value', among];
  if (text.length > 0) {
    const search = await TextSearch.of(database, accountId, text, {
      ...(traceFunctionKey !== undefined && { traceFunctionKey }),
      ...(span && { span }),
    });
    const numbers = await search.numbersAmong(traceIds);
    source = ['json_each(?) w CROSS JOIN spans s ON s.span_no = w.value', JSON.stringify(numbers)];
  }
  const [from, ...sourceParameters] = source;
  const [where, ...parameters] = joinConditions(conditions);
  const isPreferred: Condition = preferredStatus === undefined ? ['TRUE'] : ['s.status = ?', preferredStatus];
  const [preferred, ...preferredParameters] = isPreferred;
  const rows = await database.all<MatchingSpanRow>(
    `SELECT ${MATCHING_SPAN_COLUMNS.replace(/\w+/g, 'f.$&')} FROM (
      SELECT s.span_no, ${preferred} AS is_preferred, row_number() OVER (
        PARTITION BY s.trace_id ORDER BY ${preferred} DESC, s.started_us, s.span_no) AS place
      FROM ${from} WHERE ${where}) m
    CROSS JOIN spans f USING (span_no)
    WHERE m.place = 1 OR (m.is_preferred AND m.place <= ${MATCHES_OF_TRACE}) ORDER BY f.started_us, f.span_no`,
    [...preferredParameters, ...preferredParameters, ...sourceParameters, ...parameters],
  );
  return rows.map(toMatchingSpan);
}
