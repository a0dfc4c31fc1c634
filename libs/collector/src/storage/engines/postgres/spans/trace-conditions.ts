import { TRACE_LABELS } from '@dacapo/protocol';
import type { ScoreFilter, ScoreKey } from '../../../ports/score.js';
import type { MetricsFilter } from '../../../ports/metrics-query.js';
import type { MetricConditions } from '../../../spans/read-grouped-metrics.js';
import { SPAN_FIELDS, type SpanFilter } from '../../../ports/trace-filter.js';
import { accountPrefix } from '../../../spans/account-prefix.js';
import { toFacet } from '../../../spans/facets-of-trace.js';
import type { TextQuery } from '../../../rules/text-query.js';
import { POSTGRES_DIALECT } from '../dialect.js';
import { Conditions } from './conditions.js';
import { toLexemes } from './span-rows.js';

/** Ends a subquery that is to run for each row: PostgreSQL would else begin with all rows that it finds. */
const FENCE = 'OFFSET 0';

/** The conditions of metrics on a trace `t`. */
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

/** Whether a trace `t` has one. @param found see {@link facetsAmong} */
export function hasFacet(found: string): string {
  return `EXISTS (SELECT 1 FROM ${found} AND f.trace_id = t.trace_id ${FENCE})`;
}

/** Whether one span of a trace `t` has all of it. */
export function hasSpan(
  conditions: Conditions,
  accountId: string,
  key: string | undefined,
  { text = [], ...fields }: SpanFilter,
): string {
  const asked = SPAN_FIELDS.flatMap((field) =>
    fields[field] === undefined ? [] : [`AND s.${field} = ${conditions.bind(fields[field])}`],
  );
  const ofKey = key === undefined ? '' : `AND s.trace_function_key = ${conditions.bind(key)}`;
  const texts = text.length === 0 ? '' : 'JOIN span_texts x ON x.span_no = s.span_no';
  return `EXISTS (SELECT 1 FROM spans s ${texts}
    WHERE s.account_id = ${conditions.bind(accountId)} AND s.trace_id = t.trace_id ${ofKey} ${asked.join(' ')}
    ${textConditions(conditions, accountId, text)} ${FENCE})`;
}

/** That words follow one another is seen in the text. Without `coalesce`, the index would look for the words in all traces. */
function textConditions(conditions: Conditions, accountId: string, text: TextQuery): string {
  if (text.length === 0) return '';
  const phrases = text.filter(({ words }) => words.length > 1);
  return [
    `AND coalesce(x.lexemes, '') @@ ${findLexemes(conditions, accountId, text)}`,
    ...phrases.map(({ words, isPrefix }) => {
      const phrase = ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
      return `AND strpos(x.words, ${conditions.bind(phrase)}) > 0`;
    }),
  ].join(' ');
}

/** All words of a text, as the index is asked for them. */
export function findLexemes(conditions: Conditions, accountId: string, text: TextQuery): string {
  const prefix = accountPrefix(accountId);
  const lexemes = text.flatMap(({ words, isPrefix }) =>
    toLexemes(prefix, words).map(
      (lexeme, index, all) => `'${lexeme}'${isPrefix && index === all.length - 1 ? ':*' : ''}`,
    ),
  );
  return `${conditions.bind(lexemes.join(' & '))}::tsquery`;
}

/** Scores `k` that count and match. */
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

/** Whether what has this id has such a score. @param found see {@link scoresAmong} */
export function isScored(id: string, found: string): string {
  return `EXISTS (SELECT 1 FROM ${found} AND k.target_id = ${id} ${FENCE})`;
}
