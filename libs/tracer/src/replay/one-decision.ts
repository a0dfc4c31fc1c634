import { countAgainstLimits, type Gate, type GateCount, type RunTotals } from '@dacapo/evaluation';
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
 * Why a run that passed its gate by its own count fails by the service's count, which compares stored items and includes
 * other reporters.
 *
 * @param expected number of expected items, repetitions included
 */
export function failuresByService(gate: Gate, totals: TestRunTotals, expected: number): string[] {
  const { beyond } = countAgainstLimits(gate as JsonObject, totals, expected);
  if (beyond.length === 0) return [];
  const counts = beyond.map(({ limit, count }) => `${count} ${COUNTED[limit]}`);
  return [
    `The stored results fail the gate: of ${totals.items} items, ${counts.join(', ')}. Look at them on the run's page.`,
  ];
}

/** The difference between the service's counts and the run's own; `undefined` if they are equal. */
export function describeOtherCounts(own: RunTotals, totals: TestRunTotals): string | undefined {
  if (VERDICTS.every((verdict) => own[verdict] === totals[verdict])) return undefined;
  const counts = (of: Pick<RunTotals, (typeof VERDICTS)[number]>): string =>
    VERDICTS.flatMap((verdict) => (of[verdict] === 0 ? [] : [`${of[verdict]} ${verdict}`])).join(', ') ||
    'none';
  return `The service counts ${counts(totals)}, and this run counted ${counts(own)}: its page shows which items.`;
}

/**
 * Merges the service's stored state into a run's result after its end. The result never becomes better.
 *
 * @param confirmed the run as stored by the service, or why the report failed
 * @param timeoutMs of the run
 */
export function agreeOn(result: ReplayResult, confirmed: ConfirmedRun | Error, timeoutMs: number): void {
  if (confirmed instanceof Error) {
    result.status = 'interrupted';
    fail(
      result,
      `The end of the run could not be reported, so the service shows the run as interrupted: ${confirmed.message.replace(/\.$/, '')}. ${describeUnconfirmedCure(timeoutMs)}`,
    );
    return;
  }
  const { summary, passed, undecided } = confirmed;
  if (summary === undefined) {
    if (result.passed !== undefined)
      fail(result, "The service confirmed no decision. Upgrade the collector to the tracer's version.");
    return;
  }
  if (passed === result.passed && !undecided) return;
  const decision = passed === undefined ? 'none' : passed ? 'passed' : 'failed';
  if (undecided) fail(result, 'The service left the run undecided. Open its page.');
  else
    fail(
      result,
      `The service has another decision for this run, ${decision}: another client finished it. Open its page.`,
    );
}

function fail(result: ReplayResult, sentence: string): void {
  result.warnings.push(sentence);
  if (result.passed === undefined) return;
  result.passed = false;
  result.failures.push(sentence);
}
