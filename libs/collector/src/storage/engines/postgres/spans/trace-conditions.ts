import { parseTimestamp, TRACE_AMOUNTS, TRACE_LABELS, type TraceAmount } from '@dacapo/protocol';
import type { ScoreFilter, ScoreKey } from '../../../ports/score.js';
import type { MetricsFilter } from '../../../ports/metrics-query.js';
import type { MetricConditions } from '../../../spans/read-grouped-metrics.js';
import { SPAN_FIELDS, type SpanFilter, type TraceFilter } from '../../../ports/trace-filter.js';
import { toFacet, toMetadataFacet } from '../../../spans/facets-of-trace.js';
import type { TextQuery } from '../../../rules/text-query.js';
import { POSTGRES_DIALECT } from '../dialect.js';
import { Conditions } from './conditions.js';
import { toLexemes } from './span-rows.js';

/** -1 where the amount of a trace is not known. */
export const AMOUNT_COLUMNS: Record<TraceAmount, string> = {
  duration_ms: 'duration_order',
  tokens: 'tokens_order',
  cost_usd: 'cost_order',
  span_count: 'span_count',
};

/** Of traces `t`, and under a key of its calls `c`. */
export function addTraceConditions(conditions: Conditions, accountId: string, filter: TraceFilter): void {
  const { traceFunctionKey: key, since, until, testRunId, traceIds, status, span, score } = filter;
  const sorted = key === undefined ? 't' : 'c';
  conditions.equal(`${sorted}.account_id`, accountId);
  if (key !== undefined) conditions.equal('c.trace_function_key', key);
  if (since !== undefined) conditions.compare(`${sorted}.started_us`, '>=', parseTimestamp(since));
  if (until !== undefined) conditions.compare(`${sorted}.started_us`, '<', parseTimestamp(until));
  if (testRunId !== undefined) conditions.equal('t.test_run_id', testRunId);
  if (traceIds !== undefined) {
    const named = conditions.bind(JSON.stringify(traceIds));
    conditions.add(`${sorted}.trace_id IN (SELECT value FROM ${POSTGRES_DIALECT.texts(named)})`);
  }
  if (filter.withRecording === true && key !== undefined) conditions.add('c.is_recording = 1');
  if (filter.withoutReplays === true) conditions.add('t.test_run_id IS NULL');
  if (status !== undefined) {
    // Most end well: the others have an index.
    if (status !== 'ok') conditions.add(`${sorted}.outcome <> 'ok'`);
    conditions.equal(`${sorted}.outcome`, status);
  }
  for (const label of TRACE_LABELS) {
    if (filter[label] !== undefined) conditions.equal(`t.${label}`, filter[label]);
  }
  for (const amount of TRACE_AMOUNTS) {
    const { least = 0, most } = filter.amounts?.[amount] ?? {};
    if (filter.amounts?.[amount] === undefined) continue;
    conditions.compare(`t.${AMOUNT_COLUMNS[amount]}`, '>=', least);
    if (most !== undefined) conditions.compare(`t.${AMOUNT_COLUMNS[amount]}`, '<=', most);
  }
  const facets = [
    ...(filter.tags ?? []).map((tag) => [toFacet('tag', tag)]),
    ...(filter.metadata ?? []).map(({ path, values }) =>
      values.map((value) => toMetadataFacet(path.join('.'), JSON.stringify(value))),
    ),
    ...SPAN_FIELDS.flatMap((field) => (span?.[field] === undefined ? [] : [[toFacet(field, span[field])]])),
  ];
  for (const anyOf of facets) addFacet(conditions, accountId, anyOf);
  if (span !== undefined) addSpan(conditions, accountId, key, span);
  if (score !== undefined) addScore(conditions, 't.trace_id', accountId, 'trace', score);
}

/** The conditions of metrics on a trace `t`. */
export function metricConditions(accountId: string, where: MetricsFilter = {}): MetricConditions {
  const conditions = new Conditions();
  for (const label of TRACE_LABELS) {
    if (label !== 'session_id' && where[label] !== undefined) conditions.equal(`t.${label}`, where[label]);
  }
  for (const tag of where.tags ?? []) addFacet(conditions, accountId, [toFacet('tag', tag)]);
  if (where.span !== undefined) addSpan(conditions, accountId, undefined, where.span);
  return conditions;
}

function addFacet(conditions: Conditions, accountId: string, anyOf: readonly string[]): void {
  const values = anyOf.map((facet) => conditions.bind(facet));
  conditions.add(`EXISTS (SELECT 1 FROM trace_facets f WHERE f.account_id = ${conditions.bind(accountId)}
    AND f.facet IN (${values.join(', ')}) AND f.trace_id = t.trace_id)`);
}

/** One span has all of it. */
function addSpan(
  conditions: Conditions,
  accountId: string,
  key: string | undefined,
  { text = [], ...fields }: SpanFilter,
): void {
  const asked = SPAN_FIELDS.flatMap((field) =>
    fields[field] === undefined ? [] : [`AND s.${field} = ${conditions.bind(fields[field])}`],
  );
  const ofKey = key === undefined ? '' : `AND s.trace_function_key = ${conditions.bind(key)}`;
  const texts = text.length === 0 ? '' : 'JOIN span_texts x ON x.span_no = s.span_no';
  conditions.add(`EXISTS (SELECT 1 FROM spans s ${texts}
    WHERE s.account_id = ${conditions.bind(accountId)} AND s.trace_id = t.trace_id ${ofKey} ${asked.join(' ')}
    ${textConditions(conditions, accountId, text)})`);
}

/** The index finds spans with all words; that some follow one another is seen in their texts. */
function textConditions(conditions: Conditions, accountId: string, text: TextQuery): string {
  if (text.length === 0) return '';
  const lexemes = text.flatMap(({ words, isPrefix }) =>
    toLexemes(accountId, words).map(
      (lexeme, index, all) => `'${lexeme}'${isPrefix && index === all.length - 1 ? ':*' : ''}`,
    ),
  );
  const phrases = text.filter(({ words }) => words.length > 1);
  return [
    `AND x.lexemes @@ ${conditions.bind(lexemes.join(' & '))}::tsquery`,
    ...phrases.map(({ words, isPrefix }) => {
      const phrase = ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
      return `AND strpos(x.words, ${conditions.bind(phrase)}) > 0`;
    }),
  ].join(' ');
}

/** Whether what has this id has such a score. */
export function addScore(
  conditions: Conditions,
  id: string,
  accountId: string,
  target: ScoreKey['target'],
  { name, is, below, above }: ScoreFilter,
): void {
  const parts = [
    `k.account_id = ${conditions.bind(accountId)} AND k.target = '${target}' AND k.target_id = ${id}`,
    `k.is_latest = 1 AND k.is_given = 1 AND k.name = ${conditions.bind(name)}`,
    ...(is === undefined
      ? []
      : [
          POSTGRES_DIALECT.isAmong(
            'k.record',
            'value',
            conditions.bind(JSON.stringify(is.map((one) => JSON.stringify(one)))),
          ),
        ]),
    ...(below === undefined ? [] : [`k.amount < ${conditions.bind(below)}`]),
    ...(above === undefined ? [] : [`k.amount > ${conditions.bind(above)}`]),
  ];
  conditions.add(`EXISTS (SELECT 1 FROM scores k WHERE ${parts.join(' AND ')})`);
}
