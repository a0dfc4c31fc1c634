import { countsBeside, type Gate, type GateCount, type RunTotals } from '@dacapo/evaluation';
import { type JsonObject, type TestRunTotals, VERDICTS } from '@dacapo/protocol';
import type { ReplayResult } from '../replay-types.js';
import { describeUnconfirmedCure } from './errors.js';
import type { ConfirmedRun } from './source/run-source.js';

const COUNTED: Record<GateCount['limit'], string> = {
  errors: 'with an error',
  newErrors: 'with a new error',
  changed: 'changed',
  unknown: 'that cannot be compared',
  diverged: 'with other calls inside',
  minItems: 'in all',
  missing: 'missing',
};

/**
 * Why a run that kept its gate by its own count has not passed by what the service counts, which compares what is stored and
 * hears of other reporters.
 *
 * @param expected how many items there are to be, repetitions included
 */
export function failuresByService(gate: Gate, totals: TestRunTotals, expected: number): string[] {
  const { beyond } = countsBeside(gate as JsonObject, totals, expected);
  if (beyond.length === 0) return [];
  const counts = beyond.map(({ limit, count }) => `${count} ${COUNTED[limit]}`);
  return [
    `The stored results fail the gate: of ${totals.items} items, ${counts.join(', ')}. Look at them on the run's page.`,
  ];
}

/** What the service counts otherwise than the run itself did; `undefined` where both count the same. */
export function describeOtherCounts(own: RunTotals, totals: TestRunTotals): string | undefined {
  if (VERDICTS.every((verdict) => own[verdict] === totals[verdict])) return undefined;
  const counts = (of: Pick<RunTotals, (typeof VERDICTS)[number]>): string =>
    VERDICTS.flatMap((verdict) => (of[verdict] === 0 ? [] : [`${of[verdict]} ${verdict}`])).join(', ') ||
    'none';
  return `The service counts ${counts(totals)}, and this run counted ${counts(own)}: its page shows which items.`;
}

/**
 * Makes a run's result one with what the service has of it once it was told of the end. It never becomes better.
 *
 * @param confirmed the run as the service has it, or why it could not be told
 * @param timeoutMs of the run
 */
export function agreeOn(result: ReplayResult, confirmed: ConfirmedRun | Error, timeoutMs: number): void {
  if (confirmed instanceof Error) {
    result.status = 'interrupted';
    fail(
      result,
      `The service could not be told that the run is over, and shows it as interrupted: ${confirmed.message.replace(/\.$/, '')}. ${describeUnconfirmedCure(timeoutMs)}`,
    );
    return;
  }
  const { summary, passed, undecided } = confirmed;
  if (summary === undefined) {
    if (result.passed !== undefined)
      fail(result, 'The service confirmed no decision. Upgrade the collector to the version of the tracer.');
    return;
  }
  if (passed === result.passed && !undecided) return;
  const decision = passed === undefined ? 'none' : passed ? 'passed' : 'failed';
  if (undecided) fail(result, 'The service leaves the run undecided: look at its page.');
  else
    fail(
      result,
      `The service has another decision of this run, ${decision}: somebody else finished it. Look at its page.`,
    );
}

function fail(result: ReplayResult, sentence: string): void {
  result.warnings.push(sentence);
  if (result.passed === undefined) return;
  result.passed = false;
  result.failures.push(sentence);
}
