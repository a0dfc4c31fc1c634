import { countsBeside, expectedItems, formatNumber, type GateCount } from '@dacapo/evaluation';
import { isJsonObject, type JsonObject, type JsonValue, type TestRunRecord } from '@dacapo/protocol';
import { formatCountOf } from '../../../shared/format/format-count.js';
import type { RunFigures } from './read-summary.js';

export interface ShownDecision {
  kind: 'passed' | 'failed' | 'open' | 'none';
  title: string;
  /** One sentence of what it means. */
  about: string;
  /** What is there, and the gate lets through whatever it is. */
  unasked?: string;
}

/** What a run decided, in words, and why it did not where it did not. */
export function decisionOf(
  run: Pick<TestRunRecord, 'status' | 'totals' | 'selection' | 'dataset' | 'expected_items' | 'repeat'>,
  figures: RunFigures | undefined,
): ShownDecision {
  const { status, totals } = run;
  if (status === 'running') {
    return {
      kind: 'open',
      title: 'Not decided yet',
      about: 'The run is still going on: it is decided when all of its calls have been played.',
    };
  }
  if (status === 'interrupted') {
    const unstored = figures?.unstored ?? 0;
    return {
      kind: 'open',
      title: 'Not decided',
      about:
        unstored > 0
          ? `The service did not store ${formatCountOf(unstored, 'replayed call')}. Resume the run to send the reports again; it is decided when all of its calls are stored.`
          : 'The run stopped before its end. Resume it, and it is decided when all of its calls have been played.',
    };
  }
  if (figures?.passed === true) {
    const counts = countsBeside(figures.gate ?? {}, totals, expectedItems(run));
    const beyond = inWords(counts.beyond, figures.unstored);
    const unasked = inWords(counts.unasked);
    if (beyond.length > 0) {
      return {
        kind: 'open',
        title: 'Not decided',
        about: `Its reporter let it pass, but by what the service counts its gate is not kept: ${beyond.join(', ')}.`,
      };
    }
    return {
      kind: 'passed',
      title: 'Passed',
      about: 'Everything that its gate asks for holds.',
      ...(unasked.length > 0 && { unasked: `Its gate does not ask about ${unasked.join(', ')}.` }),
    };
  }
  if (figures?.passed === false) {
    return { kind: 'failed', title: 'Failed', about: 'Its gate does not let it pass:' };
  }
  return {
    kind: 'none',
    title: 'No gate was asked for',
    about: figures
      ? 'The run shows what changed, and decides nothing. With a gate it passes or fails.'
      : 'The run shows what changed, and brought neither a decision nor figures.',
  };
}

const MOST = {
  errors: 'with an error',
  changed: 'changed',
  unknown: 'that cannot be compared',
  diverged: 'with other calls inside',
};
const COUNTS: Record<GateCount['limit'], string> = {
  ...MOST,
  newErrors: 'with a new error',
  minItems: 'played',
  missing: 'missing',
};

/** @param unstored how many of the missing calls were replayed, as far as the reporter knows */
function inWords(counts: readonly GateCount[], unstored = 0): string[] {
  return counts.flatMap(({ limit, count }) => {
    const lost = limit === 'missing' ? Math.min(unstored, count) : 0;
    return [
      ...(count > lost ? [`${formatCountOf(count - lost, 'call')} ${COUNTS[limit]}`] : []),
      ...(lost > 0 ? [`${formatCountOf(lost, 'call')} not stored by the service`] : []),
    ];
  });
}

const RISES: readonly [limit: string, what: string, unit: string][] = [
  ['p95Ms', 'the 95th percentile of durations', ' ms'],
  ['tokens', 'the mean number of tokens', ''],
  ['costUsd', 'the mean cost', ' USD'],
];

/** What a gate asks for, one limit in a line. Limits that are not known are left out. */
export function gateWords(gate: JsonObject): string[] {
  const at = (name: string): JsonValue | undefined => gate[name];
  const number = (value: JsonValue | undefined): string | undefined =>
    typeof value === 'number' ? formatNumber(value) : undefined;
  const line = (value: JsonValue | undefined, say: (text: string) => string): string[] => {
    const text = number(value);
    return text === undefined ? [] : [say(text)];
  };
  const within = (limit: JsonValue | undefined, name: string): JsonValue | undefined =>
    isJsonObject(limit) ? limit[name] : undefined;
  const scores = at('scores');
  return [
    ...line(at('minItems'), (least) => `at least ${least} played`),
    ...Object.entries(MOST).flatMap(([name, what]) => line(at(name), (most) => `at most ${most} ${what}`)),
    ...Object.entries(isJsonObject(scores) ? scores : {}).flatMap(([name, limit]) => [
      ...line(within(limit, 'min'), (least) => `${name} at least ${least}`),
      ...line(within(limit, 'maxDrop'), (most) => `${name} drops by at most ${most}`),
      ...line(within(limit, 'lost'), (most) => `${name} has no number any more for at most ${most}`),
    ]),
    ...RISES.flatMap(([name, what, unit]) =>
      line(within(at(name), 'maxRise'), (most) => `${what} rises by at most ${most}${unit}`),
    ),
  ];
}
