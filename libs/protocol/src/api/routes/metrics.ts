import * as v from 'valibot';
import { METRICS_CONDITIONS } from '../conditions/condition-schemas.js';
import { METRICS_GROUPS } from '../conditions/metrics-groups.js';
import { type Answer, type Input, route } from '../route.js';
import { about, choice, list, maybe, number, object, string, time, whole } from '../schema/kinds.js';

export const METRICS_ITEM = object({
  trace_function_key: maybe(about('Absent: the figures count whole traces as calls.', string())),
  group: maybe(
    about('Only with `group_by`: the value of the group; `null`: calls without one.', v.nullable(string())),
  ),
  at: maybe(about('Start of the hour or day. Absent for the whole period.', string())),
  calls: whole(),
  errors: about('Failed calls.', whole()),
  p50_ms: maybe(about('Of ended calls, in milliseconds. Absent if none ended.', number())),
  p95_ms: maybe(number()),
  model_calls: about('Counted model calls at or below these calls, with their usage.', whole()),
  input_tokens: number(),
  output_tokens: number(),
  cost_usd: maybe(
    about('In US dollars, rounded to billionths. Absent if no model call has a known price.', number()),
  ),
  unpriced_calls: maybe(
    about('Model calls without a known price, which `cost_usd` excludes. Absent if all have one.', whole()),
  ),
  own_model_calls: maybe(
    about(
      'Counted model calls that are calls of the key themselves, so that each counts for one key. Only in rows of keys, if there are some.',
      whole(),
    ),
  ),
  own_cost_usd: maybe(
    about(
      'Their cost in US dollars. The own costs of all keys add up to `cost_usd` with `of=traces`.',
      number(),
    ),
  ),
  own_unpriced_calls: maybe(
    about('Those without a known price, which `own_cost_usd` excludes. Absent if all have one.', whole()),
  ),
});

export const metrics = {
  read: route({
    method: 'GET',
    path: '/api/v1/metrics',
    scope: 'read',
    tag: 'Reading',
    summary: 'Calls, errors, durations, tokens and cost of calls that started in a period.',
    query: {
      since: maybe(about('Start of the period. Default: seven days before `until`.', time())),
      until: maybe(about('End of the period, exclusive. Default: now.', time())),
      bucket: maybe(
        about('A row for each hour or day. Default: one for the whole period.', choice(['hour', 'day'])),
      ),
      trace_function_key: maybe(about('Only calls with this key.', string())),
      ...METRICS_CONDITIONS,
      of: maybe(
        about('Whether to count calls by key, or whole traces. Default: `keys`.', choice(['keys', 'traces'])),
      ),
      group_by: maybe(
        about(
          'A row for each value, of traces that started in the period: whole traces, calls of the given key, or of `level` and `kind` spans.',
          choice(METRICS_GROUPS),
        ),
      ),
      replays: maybe(
        about(
          'Whether calls of test runs count. Default: `exclude`.',
          choice(['exclude', 'include', 'only']),
        ),
      ),
    },
    answer: object({
      since: about(
        'Start of the period, rounded down to the hour, or with `bucket=day` to the UTC day.',
        string(),
      ),
      until: about('End of the period (exclusive), rounded up to the hour or day.', string()),
      relative_error: about('Maximum relative error of `p50_ms` and `p95_ms`: 0.01 is 1 %.', number()),
      waiting_batches: about('Ingested batches that the figures do not include yet.', whole()),
      items: about(
        'Sorted by time, then by key; with `group_by` the groups with the most calls first. Keys and times without a call are absent.',
        list(METRICS_ITEM),
      ),
      more_groups: maybe(
        about('Groups with fewer calls that are absent. Only with `group_by`, if there are some.', whole()),
      ),
    }),
  }),
};

export type MetricsRequest = Input<typeof metrics.read>;
export type MetricsAnswer = Answer<typeof metrics.read>;
export type MetricsItem = MetricsAnswer['items'][number];
