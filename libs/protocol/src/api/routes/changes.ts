import { type Answer, type Input, route } from '../route.js';
import { about, choice, list, maybe, number, object, string, time, whole, yes } from '../schema/kinds.js';
import { METRICS_ITEM } from './metrics.js';

const PERIOD = object({
  since: string(),
  until: about('Exclusive.', string()),
  release: maybe(about('Only calls in traces of this release.', string())),
});

const CHANGE = object({
  kind: about(
    '`new_error`: a kind of error that the baseline does not have; `failures`: the share of failed calls; `duration`: the 95th percentile in milliseconds; `cost`: US dollars per call, with model calls below it.',
    choice(['new_error', 'failures', 'duration', 'cost']),
  ),
  trace_function_key: string(),
  error: maybe(about('Only with `new_error`: the name of the error, or the stem of its message.', string())),
  current: about(
    'With `new_error`, the number of traces with this error among those that were read.',
    number(),
  ),
  baseline: number(),
  ratio: maybe(about('`current` divided by `baseline`. Absent if `baseline` is 0.', number())),
  calls: about('Calls with the key that were compared.', whole()),
  baseline_calls: whole(),
});

export const changes = {
  find: route({
    method: 'GET',
    path: '/api/v1/changes',
    scope: 'read',
    tag: 'Reading',
    summary: 'What failed, slowed down or got expensive, compared with the release or the period before.',
    query: {
      since: maybe(
        about(
          'Start of the period, rounded down to the hour, or of more than three days to the UTC day. Default: seven days before `until`.',
          time(),
        ),
      ),
      until: maybe(about('End of the period, exclusive. Default: now.', time())),
      against: maybe(
        about(
          '`release` (default): calls of the latest release with those of the one before; `period`: the period with the one of the same length before it.',
          choice(['release', 'period']),
        ),
      ),
    },
    answer: object({
      against: about(
        'What was compared. `period` in place of `release` if no release began in the period.',
        choice(['release', 'period']),
      ),
      releases_unread: maybe(
        about(
          'Too many traces started in the period to tell releases apart, so periods were compared.',
          yes(),
        ),
      ),
      current: PERIOD,
      baseline: PERIOD,
      waiting_batches: about('Ingested batches that the figures do not include yet.', whole()),
      failed_traces_unread: maybe(
        about('Only the newest failed traces were read, so older new errors are absent.', yes()),
      ),
      changes: about('Worst first. Empty without evidence for a change.', list(CHANGE)),
      functions: about(
        'Functions with a call in one of the two periods, by key. A period without a call is absent.',
        list(
          object({
            trace_function_key: string(),
            current: maybe(METRICS_ITEM),
            baseline: maybe(METRICS_ITEM),
          }),
        ),
      ),
    }),
  }),
};

export type ChangesRequest = Input<typeof changes.find>;
export type ChangesAnswer = Answer<typeof changes.find>;
export type Change = ChangesAnswer['changes'][number];
export type ComparedFigures = ChangesAnswer['functions'][number];
