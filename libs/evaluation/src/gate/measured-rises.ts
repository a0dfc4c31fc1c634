import type { RisingMeasure } from '../run/measure-gaps.js';
import type { MeasureSummary, RunSummary, UnmeasuredSummary } from '../run/run.js';
import type { Difference } from '../statistics/interval.js';

import type { Failure, Gate, RiseLimit } from './gate.js';
import { plural } from './words.js';

/** A measure whose rise a gate can limit. */
export interface Rise {
  name: 'p95Ms' | 'tokens' | 'costUsd';
  measure: RisingMeasure;
  what: string;
  unit: string;
  selectDelta: (measured: MeasureSummary) => Difference | undefined;
  /** Describes items without the measure. */
  lacking: string;
  cure: string;
}

export const RISES: readonly Rise[] = [
  {
    name: 'p95Ms',
    measure: 'durationMs',
    what: 'The 95th percentile of durations',
    unit: ' ms',
    selectDelta: ({ p95Delta }) => p95Delta,
    lacking: 'without a duration',
    cure: 'Look at their errors and notes, and do not mock timed calls',
  },
  {
    name: 'tokens',
    measure: 'tokens',
    what: 'The mean number of tokens',
    unit: '',
    selectDelta: ({ delta }) => delta,
    lacking: 'with model calls without usage',
    cure: 'Record the usage of each model call with a wrapped client or addUsage',
  },
  {
    name: 'costUsd',
    measure: 'costUsd',
    what: 'The mean cost',
    unit: ' USD',
    selectDelta: ({ delta }) => delta,
    lacking: 'with model calls without usage or price',
    cure: 'Record the usage of each model call, and set a price for its model',
  },
];

export function selectMeasure(
  { durations, usage }: RunSummary,
  measure: RisingMeasure,
): MeasureSummary | undefined {
  return measure === 'durationMs' ? durations : usage[measure];
}

/** Items that a limit on a rise does not cover. Failed items are excluded if `errors` has a limit. */
export function countUnmeasured(
  { unmeasured }: RunSummary,
  { errors }: Gate,
  measure: RisingMeasure,
): number {
  const { items = 0, failed = 0 } = unmeasured?.[measure] ?? {};
  return errors === undefined ? items : items - failed;
}

/** Whether more items than allowed lack the measure. */
export function isUnmeasured(summary: RunSummary, gate: Gate, { name, measure }: Rise): boolean {
  return countUnmeasured(summary, gate, measure) > (gate[name]?.unmeasured ?? 0);
}

export function unmeasuredFailures(summary: RunSummary, gate: Gate): Failure[] {
  return RISES.flatMap((rise) => {
    const limit = gate[rise.name];
    if (limit === undefined || !isLimited(limit) || !isUnmeasured(summary, gate, rise)) return [];
    const { unmeasured: allowed = 0 } = limit;
    const most = allowed === 0 ? '' : ` The gate allows ${allowed}.`;
    return [
      {
        check: `${rise.name}.unmeasured`,
        sentence: `${describeUnmeasured(summary, gate, rise)}.${most} ${rise.cure}; or allow this number with ${rise.name}.unmeasured.`,
      },
    ];
  });
}

function isLimited({ maxRise, unmeasured }: RiseLimit): boolean {
  return maxRise !== undefined || unmeasured !== undefined;
}

/** `The mean cost is unknown for 3 items that have it in the baseline: 2 …, 1 …`. */
function describeUnmeasured(
  summary: RunSummary,
  gate: Gate,
  { measure, what, lacking }: Pick<Rise, 'measure' | 'what' | 'lacking'>,
): string {
  const { failed = 0, ...found }: Partial<UnmeasuredSummary> = summary.unmeasured?.[measure] ?? {};
  const kinds: [number, string][] = [
    [found.untold ?? 0, lacking],
    [found.unseen ?? 0, 'without an observed model call'],
    [found.unknown ?? 0, 'answered from the recording, or reported without the number of their model calls'],
    [found.mocked ?? 0, 'with calls that were answered from the recording'],
    [found.unpaired ?? 0, 'whose baseline was not timed'],
    [gate.errors === undefined ? failed : 0, 'that failed before'],
  ];
  const reasons = kinds.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]));
  const count = countUnmeasured(summary, gate, measure);
  const measured = found.unpaired === undefined ? ' that have it in the baseline' : '';
  return `${what} is unknown for ${plural(count, 'item', 'items')}${measured}: ${reasons.join(', ')}`;
}

/** `accuracy lost its number for 3 items …`. */
export function describeLost(name: string, lost: number): string {
  return `${name} lost its number for ${plural(lost, 'item', 'items')} that have one in the baseline`;
}

/** Notes on items that a limit does not cover, when it passes. */
export function coverageNotes(summary: RunSummary, gate: Gate): string[] {
  const { scores, uncounted = 0 } = summary;
  const notes: string[] = [];
  const compared = (what: string, of: { n: number } | undefined, delta: Difference | undefined): void => {
    if (of === undefined || delta === undefined || delta.n >= of.n) return;
    notes.push(
      `${what} was compared for ${delta.n} of ${plural(of.n, 'item', 'items')}: the others have no baseline.`,
    );
  };
  for (const [name, { maxDrop, lost: allowed = 0 }] of Object.entries(gate.scores ?? {})) {
    const score = Object.hasOwn(scores, name) ? scores[name] : undefined;
    if (maxDrop !== undefined) compared(name, score, score?.delta);
    if (score !== undefined && score.notApplicable > 0)
      notes.push(`${name} does not apply to ${plural(score.notApplicable, 'item', 'items')}.`);
    if (score?.lost !== undefined && score.lost <= allowed)
      notes.push(`${describeLost(name, score.lost)}; the gate allows ${allowed}.`);
  }
  for (const rise of RISES) {
    const limit = gate[rise.name];
    if (limit === undefined || !isLimited(limit)) continue;
    const measured = selectMeasure(summary, rise.measure);
    compared(rise.what, measured, measured && rise.selectDelta(measured));
    const count = countUnmeasured(summary, gate, rise.measure);
    if (count > 0 && count <= (limit.unmeasured ?? 0))
      notes.push(`${describeUnmeasured(summary, gate, rise)}; the gate allows ${limit.unmeasured ?? 0}.`);
  }
  if (uncounted > 0 && [gate.tokens, gate.costUsd].some((limit) => limit !== undefined && isLimited(limit)))
    notes.push(
      `${plural(uncounted, 'item was', 'items were')} reported by an older version, without the number of model calls, so usage may be incomplete.`,
    );
  return notes;
}
