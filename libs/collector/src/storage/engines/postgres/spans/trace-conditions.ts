import { TRACE_LABELS } from '@dacapo/protocol';
import type { ScoreFilter, ScoreKey } from '../../../ports/score.js';
import type { MetricsFilter } from '../../../ports/metrics-query.js';
import type { MetricConditions } from '../../../spans/read-grouped-metrics.js';
import { SPAN_FIELDS, type SpanFilter } from '../../../ports/trace-filter.js';
import { toFacet } from '../../../spans/facets-of-trace.js';
import type { TextQuery } from '../../../rules/text-query.js';
import { POSTGRES_DIALECT } from '../dialect.js';
import { Conditions } from './conditions.js';
import { INDEXED_WORDS, wordPrefix } from './tables.js';

/** Makes PostgreSQL run a subquery for each row. Otherwise it may begin with all rows of the subquery. */
const FENCE = 'OFFSET 0';

/** Conditions of metrics on a trace `t`. */
export function metricConditions(accountId: string, where: MetricsFilter = {}): MetricConditions {
  const conditions = new Conditions();
  for (const label of TRACE_LABELS) {
    if (label !== 'session_id' && where[label] !== undefined) conditions.equal(`t.${label}`, where[label]);
  }
  const account = conditions.bind(accountId);
  for (const tag of where.tags ?? []) {
    conditions.add(hasFacet(facetsAmong(conditions, account, [toFacet('tag', tag)])));
  }
  if (where.span !== undefined) conditions.add(hasSpan(conditions, accountId, undefined, where.span));
  return conditions;
}

/** Rows `f` of traces with one of these facets. */
export function facetsAmong(conditions: Conditions, account: string, anyOf: readonly string[]): string {
  const values = anyOf.map((facet) => conditions.bind(facet));
  return `trace_facets f WHERE f.account_id = ${account} AND f.facet IN (${values.join(', ')})`;
}

/** Whether a trace `t` has one of the facets. @param found see {@link facetsAmong} */
export function hasFacet(found: string): string {
  return `EXISTS (SELECT 1 FROM ${found} AND f.trace_id = t.trace_id ${FENCE})`;
}

/** Whether one span of a trace `t` matches all of this. */
export function hasSpan(
  conditions: Conditions,
  accountId: string,
  key: string | undefined,
  filter: SpanFilter,
): string {
  return `EXISTS (SELECT 1 FROM ${spansAmong(conditions, accountId, key, filter)} AND s.trace_id = t.trace_id ${FENCE})`;
}

/** Spans `s` that match all of this. */
export function spansAmong(
  conditions: Conditions,
  accountId: string,
  key: string | undefined,
  { text = [], ...fields }: SpanFilter = {},
): string {
  const asked = SPAN_FIELDS.flatMap((field) =>
    fields[field] === undefined ? [] : [`AND s.${field} = ${conditions.bind(fields[field])}`],
  );
  const ofKey = key === undefined ? '' : `AND s.trace_function_key = ${conditions.bind(key)}`;
  const texts = text.length === 0 ? '' : 'JOIN span_texts x ON x.span_no = s.span_no';
  return `spans s ${texts} WHERE s.account_id = ${conditions.bind(accountId)} ${ofKey} ${asked.join(' ')}
    ${textConditions(conditions, text)}`;
}

/** Reads the text, because the index would search the words in all traces. */
function textConditions(conditions: Conditions, text: TextQuery): string {
  const phrases = text.map(({ words, isPrefix }) => ` ${words.join(' ')}${isPrefix ? '' : ' '}`);
  return phrases.map((phrase) => `AND strpos(x.words, ${conditions.bind(phrase)}) > 0`).join(' ');
}

/** Texts `x` that have all words, by the index. */
export function textsAmong(conditions: Conditions, accountId: string, text: TextQuery): string {
  const prefix = wordPrefix(accountId).replaceAll("'", "''");
  const words = text.flatMap(({ words: all, isPrefix }) =>
    all.map((word, index) => `'${prefix}${word}'${isPrefix && index === all.length - 1 ? ':*' : ''}`),
  );
  return `span_texts x WHERE ${INDEXED_WORDS} @@ ${conditions.bind(words.join(' & '))}::tsquery`;
}

/** Scores `k` that match and are the latest of their author. */
export function scoresAmong(
  conditions: Conditions,
  account: string,
  target: ScoreKey['target'],
  { name, is, below, above }: ScoreFilter,
): string {
  const values = is?.map((one) => JSON.stringify(one));
  const parts = [
    `k.account_id = ${account} AND k.target = '${target}'`,
    `k.is_latest = 1 AND k.is_given = 1 AND k.name = ${conditions.bind(name)}`,
    ...(values === undefined
      ? []
      : [POSTGRES_DIALECT.isAmong('k.record', 'value', conditions.bind(JSON.stringify(values)))]),
    ...(below === undefined ? [] : [`k.amount < ${conditions.bind(below)}`]),
    ...(above === undefined ? [] : [`k.amount > ${conditions.bind(above)}`]),
  ];
  return `scores k WHERE ${parts.join(' AND ')}`;
}

/** Whether the trace or session with this id has a matching score. @param found see {@link scoresAmong} */
export function isScored(id: string, found: string): string {
  return `EXISTS (SELECT 1 FROM ${found} AND k.target_id = ${id} ${FENCE})`;
}
