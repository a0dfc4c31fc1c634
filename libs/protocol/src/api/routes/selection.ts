import type * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import { SAMPLE_KINDS, type SkipReason } from '../../records/call-selection.js';
import { CALL_CONDITIONS, consistent } from '../conditions/condition-schemas.js';
import { about, choice, maybe, object, record, type Schema, string, whole, yes } from '../schema/kinds.js';

const SAMPLE = object({
  size: about('Maximum number of calls.', whole(0, LIMITS.selectedCalls)),
  by: maybe(
    about(
      '`random` (default); `errors`: failed calls first, then random ones; `slow`: the slowest calls.',
      choice(SAMPLE_KINDS),
    ),
  ),
  seed: maybe(about('The same seed picks the same calls from the same data. Default: 0.', whole())),
});

/**
 * Which recorded calls with a trace function key are replayed. A call must match all conditions: trace conditions apply to its trace,
 * call conditions to the call itself. Without `trace_ids`, replays are excluded and the newest calls come first.
 */
export const SELECTION = consistent(
  object({
    ...CALL_CONDITIONS,
    limit: maybe(
      about(`Maximum number of calls. Default: ${LIMITS.selectedCalls}.`, whole(0, LIMITS.selectedCalls)),
    ),
    sample: maybe(
      about('A sample of the calls that match the other conditions, in their original order.', SAMPLE),
    ),
  }),
);

/** The part of an answer about a key without calls. */
export const KEY_NOTES = {
  unknown_key: maybe(about('The account has no call with the key, so the key may be misspelt.', yes())),
  similar_key: maybe(
    about("With `unknown_key`: the account's key with the closest spelling, if one is close.", string()),
  ),
};

/** How the service resolved a selection, once, when the run was created. */
export const RESOLVED_SELECTION = object({
  request: SELECTION,
  items: about('Number of selected items. Item numbers are 0 to `items - 1`.', whole()),
  missing: about(
    'How many of the items are requested traces without a call with the key. These items have no call.',
    whole(),
  ),
  skipped: about(
    'Number of skipped calls by reason. A reason without calls is absent.',
    record(whole()) as Schema<Partial<Record<SkipReason, number>>>,
  ),
  ...KEY_NOTES,
});

export type SelectionRecord = v.InferOutput<typeof RESOLVED_SELECTION>;
export type CallSelection = v.InferOutput<typeof SELECTION>;
export type CallSample = NonNullable<CallSelection['sample']>;
