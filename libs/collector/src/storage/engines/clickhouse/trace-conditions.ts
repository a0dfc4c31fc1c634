import { parseTimestamp, TRACE_AMOUNTS, TRACE_LABELS } from '@dacapo/protocol';
import type { MetricsFilter } from '../../ports/metrics-query.js';
import { SPAN_FIELDS, type SpanFilter, type TraceFilter } from '../../ports/trace-filter.js';
import type { TextQuery } from '../../rules/text-query.js';
import { AMOUNT_COLUMNS } from '../../spans/rows.js';
import { listFacetConditions, toFacet } from '../../spans/facets-of-trace.js';
import type { Conditions } from './conditions.js';
import { tracesWithSpan } from './tables.js';

/** Adds conditions on traces `t` and, with a key, on calls `c`. Skips conditions on scores. */
export function addTraceConditions(conditions: Conditions, filter: TraceFilter): void {
  const { traceFunctionKey: key, since, until, testRunId, traceIds, status } = filter;
  const sorted = key === undefined ? 't' : 'c';
  if (key !== undefined) conditions.equal('c.trace_function_key', key);
  if (since !== undefined) conditions.compare(`${sorted}.started_us`, '>=', parseTimestamp(since) ?? 0);
  if (until !== undefined) conditions.compare(`${sorted}.started_us`, '<', parseTimestamp(until) ?? 0);
  if (testRunId !== undefined) conditions.equal('t.test_run_id', testRunId);
  if (traceIds !== undefined) conditions.add(`t.trace_id IN ${conditions.bind(traceIds)}`);
  if (filter.withRecording === true && key !== undefined) conditions.add('c.is_recording = 1');
  if (filter.withoutReplays === true) conditions.add('t.test_run_id IS NULL');
  if (status !== undefined) conditions.equal(`${sorted}.outcome`, status);
  const without = (filter.except_tags ?? []).map((tag) => toFacet('tag', tag));
  if (without.length > 0) conditions.add(`NOT hasAny(t.facets, ${conditions.bind(without)})`);
  for (const amount of TRACE_AMOUNTS) {
    const range = filter.amounts?.[amount];
    if (range === undefined) continue;
    conditions.compare(`t.${AMOUNT_COLUMNS[amount]}`, '>=', range.least ?? 0);
    if (range.most !== undefined) conditions.compare(`t.${AMOUNT_COLUMNS[amount]}`, '<=', range.most);
  }
  addFactConditions(conditions, filter, key);
}

/** Adds conditions on the facts of traces and on one of their spans. */
export function addFactConditions(
  conditions: Conditions,
  filter: MetricsFilter & Pick<TraceFilter, 'session_id' | 'metadata'>,
  key?: string,
): void {
  for (const label of TRACE_LABELS) {
    if (filter[label] !== undefined) conditions.equal(`t.${label}`, filter[label]);
  }
  for (const anyOf of listFacetConditions(filter)) {
    conditions.add(`hasAny(t.facets, ${conditions.bind(anyOf)})`);
  }
  if (filter.span !== undefined) addSpan(conditions, key, filter.span);
}

/** Adds the condition that one span matches all of this. */
function addSpan(conditions: Conditions, key: string | undefined, filter: SpanFilter): void {
  const asked = spanConditions(conditions, key, filter);
  if (asked.length > 0) conditions.add(`t.trace_id IN ${tracesWithSpan(asked.join(' AND '))}`);
}

export function spanConditions(
  conditions: Conditions,
  key: string | undefined,
  { text = [], ...fields }: SpanFilter = {},
): string[] {
  return [
    ...(key === undefined ? [] : [`trace_function_key = ${conditions.bind(key)}`]),
    ...SPAN_FIELDS.flatMap((field) =>
      fields[field] === undefined ? [] : [`${field} = ${conditions.bind(fields[field])}`],
    ),
    ...textConditions(conditions, text),
  ];
}

/** The index finds spans with all words. Phrases and beginnings are checked in their texts. */
function textConditions(conditions: Conditions, text: TextQuery): string[] {
  return text.flatMap(({ words, isPrefix }) => {
    const whole = isPrefix ? words.slice(0, -1) : words;
    const phrase = ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
    return [
      ...(whole.length === 0 ? [] : [`hasAllTokens(words, ${conditions.bind(whole)})`]),
      ...(words.length > 1 || isPrefix ? [`position(words, ${conditions.bind(phrase)}) > 0`] : []),
    ];
  });
}
