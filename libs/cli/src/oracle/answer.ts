import type { ReportedOutcome } from '@dacapo/testing/internal';
import type { ProgramEnd } from '../programs/run-program.js';
import type { ReplaysResult } from './run-replays.js';

/** What a run shows about a recorded failure. Whatever is not clearly `red` or `green` shows nothing. */
export interface Answer {
  readonly state: 'red' | 'green' | 'not shown';
  /** Why nothing is shown, as a clause. Empty otherwise. */
  readonly reason: string;
  /** Of the recorded call. Absent if it did not run. */
  readonly durationMs?: number | undefined;
  /** Functions that ran instead of being answered, by key. */
  readonly ranLive: Readonly<Record<string, number>>;
  /** Functions that the test answered itself, by key. */
  readonly answeredByTest: Readonly<Record<string, number>>;
}

/** @param reason a clause */
export const notShown = (reason: string): Answer => ({
  state: 'not shown',
  reason,
  ranLive: {},
  answeredByTest: {},
});

/**
 * Decides by what the test itself reported and by the exit code of its runner. Red is the recorded failure alone: a test that does not
 * compile, another error, a timeout and a test that did not run are not red.
 *
 * @param sha256 of the cassette: outcomes of other cassettes are skipped
 */
export function judgeTest(
  { code, isTimedOut, log }: ProgramEnd,
  outcomes: readonly ReportedOutcome[],
  sha256: string,
): Answer {
  if (isTimedOut) return notShown('the test ran into its timeout');
  if (code === null) return notShown(`a signal ended the test runner, or it did not start${quote(log)}`);
  const own = outcomes.filter((outcome) => outcome.sha256 === sha256);
  if (own.length === 0)
    return notShown(
      `no test ran on the cassette: its file does not compile, a package is missing, or the runner found no test${quote(log)}`,
    );
  if (own.some(({ expect }) => expect !== 'fixed'))
    return notShown("the test of the cassette does not have expect: 'fixed'");
  const failed = own.find(({ outcome }) => outcome === 'failed');
  if (failed !== undefined)
    return notShown(
      `the test fails for another reason: ${failed.error?.name ?? 'Error'}: ${failed.error?.message ?? ''}`,
    );
  const states = new Set(own.map(({ outcome }) => outcome));
  if (states.size > 1) return notShown('the test both passed and failed, so it is flaky');
  const facts = measure(own.flatMap(({ calls }) => calls));
  if (states.has('passed'))
    return code === 0
      ? { state: 'green', reason: '', ...facts }
      : notShown(
          `the test of the cassette passed, but its runner failed with exit code ${code}${quote(log)}`,
        );
  return code !== 0
    ? { state: 'red', reason: '', ...facts }
    : notShown('the recorded failure occurred, but the runner ended with exit code 0');
}

/**
 * Decides by a replay without a test. Green means that the call returned, or made all recorded calls and went on to one that the recording
 * does not have: the recorded call failed before that.
 */
export function judgeReplay({ calls, problem }: ReplaysResult): Answer {
  if (problem !== undefined) return notShown(problem);
  if (calls.length === 0) return notShown('the cassette has no call');
  if (calls.some(({ fails_as_recorded: fails }) => fails))
    return { state: 'red', reason: '', ...measure(calls) };
  const other = calls.find(
    ({ error, verdict, goes_on: goesOn }) => !goesOn && (error !== undefined || verdict === undefined),
  );
  if (other !== undefined)
    return notShown(
      other.error === undefined
        ? 'the call did not end'
        : `it fails otherwise: ${other.error.name}: ${other.error.message}`,
    );
  return { state: 'green', reason: '', ...measure(calls) };
}

function measure(calls: ReportedOutcome['calls']): Pick<Answer, 'durationMs' | 'ranLive' | 'answeredByTest'> {
  const durations = calls.flatMap(({ duration_ms: ms }) => (ms === undefined ? [] : [ms]));
  return {
    ranLive: addCounts(calls.map(({ ran_live: ran }) => ran)),
    answeredByTest: addCounts(calls.map(({ answered_by_test: answered }) => answered)),
    ...(durations.length > 0 && { durationMs: durations.reduce((sum, ms) => sum + ms, 0) }),
  };
}

export function addCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const counts of all)
    for (const [key, count] of Object.entries(counts)) sum[key] = (sum[key] ?? 0) + count;
  return sum;
}

const QUOTED_LINES = 8;

/** What a program printed: the lines at its first error, else the last ones. */
function quote(log: string): string {
  const lines = log.trimEnd().split('\n');
  const at = lines.findIndex((line) => /\b\w*Error\b|Cannot find|not found/.test(line));
  const shown =
    at === -1 ? lines.slice(-QUOTED_LINES) : lines.slice(Math.max(0, at - 3), at + QUOTED_LINES - 3);
  const text = shown.join('\n').trim();
  return text === '' ? '' : `. It printed:\n${text}`;
}
