import type { Judgement } from '@dacapo/evaluation';
import type { ReplayDivergence } from '@dacapo/tracer';
import type { RecordedRoot } from '../cassette/to-recorded-calls.js';
import { maskError, reportCall, type ReportedCall, type ReportedOutcome } from '../tape/report-outcome.js';
import { CassetteTape } from '../tape/tape.js';
import { TapedCalls } from '../tape/taped-calls.js';
import { runTape } from '../tape/with-cassette.js';

/** How a recorded outermost call ended with today's code. */
export interface ReplayedRoot extends ReportedCall {
  /** Absent if it did not run to its end, or a call inside it could not be answered. */
  readonly verdict?: Judgement['verdict'];
  /** Whether it fails as it was recorded. */
  readonly fails_as_recorded: boolean;
  /** Whether it made all recorded calls, and then one that the recording does not have. */
  readonly goes_on: boolean;
  /** What it threw, or why it did not run, masked. */
  readonly error?: NonNullable<ReportedOutcome['error']>;
  /** How its inner calls differ from the recorded ones. */
  readonly divergences: readonly Pick<ReplayDivergence, 'kind' | 'path'>[];
}

/**
 * Replays an outermost call of a cassette: every wrapped call inside it is answered, and connections are denied. Never rejects.
 *
 * @param fn is given the recorded arguments
 */
export async function replayRoot(
  root: RecordedRoot,
  fn: (...args: never[]) => unknown,
): Promise<ReplayedRoot> {
  const calls = new TapedCalls(root.key, [root], {});
  const tape = new CassetteTape(root.key, 'replay', calls);
  const outcome = await runTape(tape, calls, () => tape.replay(fn));
  const [taped] = calls.roots;
  const [miss] = calls.misses;
  const error = miss === undefined ? ('error' in outcome ? outcome.error : undefined) : new Error(miss);
  const failure = error === undefined ? {} : { error: maskError(error) };
  if (taped === undefined)
    return {
      key: root.key,
      ran_live: {},
      answered_by_test: {},
      goes_on: false,
      fails_as_recorded: false,
      divergences: [],
      ...failure,
    };
  const divergences = taped.divergences();
  const isWhole = taped.hasOutcome && miss === undefined;
  return {
    ...reportCall(taped, calls),
    ...(isWhole && { verdict: taped.judge().verdict }),
    fails_as_recorded: isWhole && taped.wasFailure && taped.failsAsRecorded,
    goes_on:
      miss !== undefined &&
      calls.lacksOnlyKeys &&
      divergences.every(({ kind }) => kind === 'extra' || kind === 'unanswerable'),
    divergences: divergences.map(({ kind, path }) => ({ kind, path })),
    ...failure,
  };
}
