import * as v from 'valibot';
import { type Answer, type Input, route } from '../route.js';
import { about, label, list, maybe, object, string, whole } from '../schema/kinds.js';

/** A hundred years: longer is for ever. */
const MOST_DAYS = 36_500;

const KEY = { trace_function_key: maybe(about("Absent: the account's default rule.", label())) };
const DAYS = whole(1, MOST_DAYS);

const POLICY = about(
  'How long traces are kept. Traces without a rule are kept until they are deleted.',
  object({
    days: maybe(
      about('Days for traces without a call whose key has its own rule. Absent: forever.', whole()),
    ),
    keys: about(
      'Days for traces that hold a call with the key. If several rules apply to a trace, the shortest counts. Sorted by key.',
      list(object({ trace_function_key: string(), days: whole() })),
    ),
  }),
);

const RETENTION = { path: '/api/v1/retention', scope: 'manage', tag: 'Data' } as const;

export const retention = {
  get: route({ ...RETENTION, method: 'GET', summary: 'How long traces are kept.', answer: POLICY }),
  set: route({
    ...RETENTION,
    method: 'POST',
    summary: 'Sets or removes the retention of the account or of a key.',
    body: object({ ...KEY, days: about('`null` removes the rule.', v.nullable(DAYS)) }),
    answer: POLICY,
  }),
  preview: route({
    ...RETENTION,
    method: 'POST',
    path: '/api/v1/retention/preview',
    summary: 'Returns how many traces a rule would delete now, and the total.',
    body: object({ ...KEY, days: DAYS }),
    answer: about(
      'What the rule would delete now, together with the existing rules.',
      object({
        traces: whole(),
        spans: whole(),
        of_traces: about('Number of traces that the rule applies to, whatever their age.', whole()),
      }),
    ),
  }),
};

export type RetentionPolicy = Answer<typeof retention.get>;
export type SetRetentionRequest = Input<typeof retention.set>;
export type PreviewRetentionRequest = Input<typeof retention.preview>;
export type RetentionPreview = Answer<typeof retention.preview>;
