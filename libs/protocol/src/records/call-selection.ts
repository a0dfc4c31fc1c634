export const SAMPLE_KINDS = ['random', 'errors', 'slow'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/**
 * Why a selection skipped calls with the key:
 *
 * - `inside_another_call`: an ancestor is a call with the key.
 * - `not_first`: the selection took another outermost call of the same trace.
 * - `unfinished`: the call has not ended.
 * - `replay`: a test run made the call.
 * - `other_class`: the call was recorded on a class that is not selected.
 * - `no_recording`: the trace holds only calls without a recording. Counted once per trace.
 * - `not_matching`: its status, its text or the metadata of its trace does not match.
 * - `not_scanned`: the text search stopped before this call.
 * - `not_sampled`, `beyond_limit`: the sample or the limit excluded it. Traces that were not examined count once.
 */
export const SKIP_REASONS = [
  'inside_another_call',
  'not_first',
  'unfinished',
  'replay',
  'other_class',
  'no_recording',
  'not_matching',
  'not_scanned',
  'not_sampled',
  'beyond_limit',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];
