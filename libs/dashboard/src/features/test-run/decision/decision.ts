import { countAgainstLimits, describeDecision, expectedItems, type GateCount } from '@dacapo/evaluation';
import type { TestRunRecord } from '@dacapo/protocol';
import { formatCount, formatQuantity } from '../../../shared/format/format-count.js';
import type { RunFigures } from './read-summary.js';

export interface ShownDecision {
  kind: 'passed' | 'failed' | 'open' | 'none';
  title: string;
  /** What the decision means. A pass that leaves another outcome uncovered means nothing yet. */
  advice?: 'Ship' | 'Do not ship';
  /** What the decision means, in one or two sentences. */
  about?: string;
  /** Changes that the gate does not limit. */
  uncovered?: string;
}

/** The decision of a run, or why there is none. */
export function describeRun(
  run: Pick<TestRunRecord, 'status' | 'totals' | 'selection' | 'dataset' | 'expected_items' | 'repeat'>,
  figures: RunFigures | undefined,
): ShownDecision {
  const { status, totals } = run;
  if (status === 'running') {
    return {
      kind: 'open',
      title: 'Not decided yet',
      about: `${describeProgress(totals.items, expectedItems(run))}The gate decides when all calls are replayed.`,
    };
  }
  if (status === 'interrupted') {
    const unstored = figures?.unstored ?? 0;
    return {
      kind: 'open',
      title: 'Not decided',
      about:
        unstored > 0
          ? `The service did not store ${formatQuantity(unstored, 'replayed call')}. Resume the run to send them again. The gate decides when all calls are stored.`
          : 'The run stopped early. Resume it to replay the other calls. The gate decides when all calls are replayed.',
    };
  }
  if (figures?.passed === true) {
    const counts = countAgainstLimits(figures.gate ?? {}, totals, expectedItems(run));
    const beyond = describeCounts(counts.beyond, figures.unstored);
    const uncovered = describeCounts(counts.unasked);
    if (beyond.length > 0) {
      return {
        kind: 'open',
        title: 'Not decided',
        about: `The client reported a pass, but the stored results fail the gate: ${beyond.join(', ')}.`,
      };
    }
    return {
      kind: 'passed',
      title: describeDecision({ ...figures, passed: true }),
      ...(counts.unasked.every(({ limit }) => limit === 'diverged') && { advice: 'Ship' }),
      ...(uncovered.length > 0 && { uncovered: `Not covered by the gate: ${uncovered.join(', ')}.` }),
    };
  }
  if (figures?.passed === false) {
    return {
      kind: 'failed',
      title: describeDecision({ ...figures, passed: false }),
      advice: 'Do not ship',
    };
  }
  return {
    kind: 'none',
    title: 'No gate',
    about: figures
      ? 'The run shows what changed. Add a gate to pass or fail it.'
      : 'The run has no decision and no figures.',
  };
}

function describeProgress(replayed: number, expected: number): string {
  return expected === 0 ? '' : `${formatCount(replayed)} of ${formatQuantity(expected, 'call')} replayed. `;
}

const COUNTS: Record<GateCount['limit'], [one: string, many: string]> = {
  errors: ['call with an error', 'calls with an error'],
  changed: ['changed call', 'changed calls'],
  unknown: ['call that cannot be compared', 'calls that cannot be compared'],
  diverged: ['call with different inner calls', 'calls with different inner calls'],
  newErrors: ['call with a new error', 'calls with a new error'],
  minItems: ['replayed call', 'replayed calls'],
  missing: ['missing call', 'missing calls'],
};

/** @param unstored how many of the missing calls the client replayed */
function describeCounts(counts: readonly GateCount[], unstored = 0): string[] {
  return counts.flatMap(({ limit, count }) => {
    const lost = limit === 'missing' ? Math.min(unstored, count) : 0;
    return [
      ...(count > lost ? [formatQuantity(count - lost, ...COUNTS[limit])] : []),
      ...(lost > 0 ? [`${formatQuantity(lost, 'call')} not stored by the service`] : []),
    ];
  });
}
