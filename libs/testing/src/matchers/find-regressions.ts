import { decide, type Gate, itemId, type RunItem, RunTally } from '@dacapo/evaluation';
import type { ReplayResult } from '@dacapo/tracer';
import { CassetteSetupError } from '../errors.js';
import type { Comparison } from './compare-recording.js';

export interface RegressionOptions {
  /**
   * What a changed output is compared with. `recording`: an output that a person accepted counts as changed. Default: `accepted`, where
   * it does not.
   */
  readonly baseline?: 'recording' | 'accepted';
  /** How much the mean of a score may drop from the baseline. A larger drop fails only with evidence. Default: 0. */
  readonly minEffect?: number;
}

/**
 * Whether a replay is worse than its baseline, by the gate of replays: no new error, no missing item, and no score that drops with
 * evidence. Without scores, every output must equal the baseline: `changed` and `unknown` fail.
 */
export function findRegressions(
  result: ReplayResult,
  { baseline = 'accepted', minEffect = 0 }: RegressionOptions = {},
): Comparison {
  checkItems(result);
  const tally = new RunTally();
  for (const item of result.items) tally.add(baseline === 'recording' ? withoutAcceptance(item) : item);
  tally.miss(result.totals.missing);
  tally.lose(result.totals.unstored);
  const names = Object.keys(result.scores);
  const gate: Gate = {
    ...(names.length === 0 && { changed: 0, unknown: 0 }),
    ...(names.length > 0 && {
      scores: Object.fromEntries(names.map((name) => [name, { maxDrop: minEffect }])),
    }),
  };
  const { passed, failures, notes } = decide(tally.summarize(gate), gate);
  const changed = names.length > 0 ? [] : result.items.filter(({ verdict }) => verdict !== 'same');
  const text = [...failures, ...notes, ...changed.slice(0, MOST).map(describeItem)].join('\n');
  return { pass: passed, text: text === '' ? 'No regressions.' : text };
}

const MOST = 5;

/** @throws CassetteSetupError if the result lacks items that it counts */
function checkItems({ items, totals }: ReplayResult): void {
  if (items.length === totals.items) return;
  throw new CassetteSetupError(
    `The result keeps ${items.length} of ${totals.items} items. Replay with keep: 'all'.`,
  );
}

function withoutAcceptance(item: RunItem): RunItem {
  return item.accepted === true ? { ...item, verdict: 'changed' } : item;
}

function describeItem(item: RunItem): string {
  const [first] = item.diff ?? [];
  const where =
    first === undefined
      ? ''
      : `: ${first.path} was ${first.before?.text ?? 'nothing'}, is ${first.now?.text ?? 'nothing'}`;
  return `${itemId(item)} is ${item.verdict}${where}`;
}

/** Whether the gate that a replay ran with passed. */
export function checkGate({ passed, failures }: ReplayResult): Comparison {
  if (passed === undefined)
    throw new CassetteSetupError(
      'The replay had no gate, so nothing was decided. Pass gate: { errors: 0 }, say.',
    );
  return { pass: passed, text: passed ? 'The gate passed.' : `The gate failed:\n${failures.join('\n')}` };
}
