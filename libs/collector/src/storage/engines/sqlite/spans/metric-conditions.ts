import type { MetricsFilter } from '../../../ports/metrics-query.js';
import type { MetricConditions } from '../../../spans/read-grouped-metrics.js';
import { facetCondition, spanConditions } from './trace-conditions.js';
import { joinConditions, type Condition } from './trace-walk.js';

const LABELS = ['user_id', 'environment', 'release'] as const;
const ID = 't.trace_id';

/** Conditions of metrics on a trace `t`, with named parameters instead of question marks. */
export function metricConditions(accountId: string, where: MetricsFilter = {}): MetricConditions {
  const { tags = [], span } = where;
  const tested = [
    ...tags.map((tag) => facetCondition(accountId, ID, `tag:${tag}`)),
    ...(span === undefined ? [] : spanConditions(accountId, ID, undefined, span)),
  ];
  const [sql, ...values] = joinConditions([
    ...LABELS.flatMap((name): Condition[] =>
      where[name] === undefined ? [] : [[`t.${name} = ?`, where[name]]],
    ),
    ...tested.map(({ test }) => test),
  ]);
  let place = 0;
  return {
    sql: sql.replaceAll('?', () => `:where${place++}`),
    parameters: Object.fromEntries(values.map((value, index) => [`where${index}`, value])),
  };
}
