import { SPAN_FIELDS, type SpanFilter } from '../../../ports/trace-filter.js';
import type { Step } from '../connection.js';
import type { EncodedSpan } from './continued-spans.js';

/** Skips deleted traces. */
const NOTE_FACETS = `INSERT OR IGNORE INTO trace_facets(account_id, facet, trace_id)
  SELECT t.account_id, value ->> 0, t.trace_id FROM json_each(?2) CROSS JOIN traces t
  ON t.account_id = ?1 AND t.trace_id = value ->> 1`;

/** The usage of longer traces is added up as it arrives. */
const COUNTED_SPANS = 5_000;

const TELLS_USAGE = 'coalesce(input_tokens, output_tokens, cost_usd) IS NOT NULL';

const THE_TRACE = 'account_id = ?1 AND trace_id = ?2';

/** -1 if unknown. Counts like `countedSpans`: a model call around a counted one does not count. */
const COUNT_USAGE = `UPDATE traces SET (tokens_order, cost_order) = (
    WITH RECURSIVE above(id) AS (
      SELECT parent_id FROM spans WHERE ${THE_TRACE} AND ${TELLS_USAGE} AND parent_id IS NOT NULL
      UNION
      SELECT p.parent_id FROM above CROSS JOIN spans p
        ON p.account_id = ?1 AND p.trace_id = ?2 AND p.span_id = above.id WHERE p.parent_id IS NOT NULL)
    SELECT coalesce(sum(coalesce(input_tokens + output_tokens, input_tokens, output_tokens)), -1),
      coalesce(sum(cost_usd), -1) FROM spans
      WHERE ${THE_TRACE} AND ${TELLS_USAGE} AND span_id NOT IN (SELECT id FROM above))
  WHERE ${THE_TRACE} AND span_count <= ${COUNTED_SPANS}
    AND (coalesce(?3, ?4) IS NOT NULL OR max(tokens_order, cost_order) >= 0)`;

const ADD_USAGE = `UPDATE traces
  SET tokens_order = CASE WHEN ?3 IS NULL THEN tokens_order ELSE max(tokens_order, 0) + ?3 END,
    cost_order = CASE WHEN ?4 IS NULL THEN cost_order ELSE max(cost_order, 0) + ?4 END
  WHERE ${THE_TRACE} AND span_count > ${COUNTED_SPANS} AND coalesce(?3, ?4) IS NOT NULL`;

/** The facets of a span. */
export function toFacets(fields: Omit<SpanFilter, 'text'>, model = fields.model): string[] {
  const facets: string[] = [];
  for (const name of SPAN_FIELDS) {
    const value = name === 'model' ? model : fields[name];
    if (value !== undefined) facets.push(`${name}:${value}`);
  }
  return facets;
}

/** Steps for what lists know of the spans of a trace: a row for each facet, and the total usage of its model calls. */
export function facetSteps(accountId: string, spans: readonly EncodedSpan[]): Step[] {
  if (spans.length === 0) return [];
  const traces = new Map<string, { facets: Set<string>; tokens?: number; costUsd?: number }>();
  for (const { span, usage } of spans) {
    const { trace_id: traceId } = span;
    let trace = traces.get(traceId);
    if (trace === undefined) traces.set(traceId, (trace = { facets: new Set() }));
    const { model, input_tokens: input, output_tokens: output, cost_usd: costUsd } = usage ?? {};
    for (const facet of toFacets(span, model)) trace.facets.add(facet);
    if ((input ?? output) !== undefined) trace.tokens = (trace.tokens ?? 0) + (input ?? 0) + (output ?? 0);
    if (costUsd !== undefined) trace.costUsd = (trace.costUsd ?? 0) + costUsd;
  }
  const facets = Array.from(traces, ([traceId, trace]) =>
    Array.from(trace.facets, (facet) => [facet, traceId]),
  );
  const used = Array.from(traces, ([traceId, { tokens, costUsd }]) => [accountId, traceId, tokens, costUsd]);
  return [
    { sql: NOTE_FACETS, rows: [[accountId, JSON.stringify(facets.flat())]] },
    { sql: COUNT_USAGE, rows: used },
    { sql: ADD_USAGE, rows: used },
  ];
}
