import type { MadeCall } from './made-call.js';
import { type RecordedTimes, timesOf } from './recorded-times.js';

interface Moment extends RecordedTimes {
  readonly call: MadeCall;
}

/**
 * Calls that were made in another order than they were recorded in, the fewest that explain it; of those with one parent.
 *
 * Calls that ran at the same time in the recording have no order among them, nor have those that began at one moment.
 *
 * @param coarsenessUs how far recorded times may be off: calls that may have run at the same time have none either
 */
export function findReordered(made: readonly MadeCall[], coarsenessUs = 0): MadeCall[] {
  const byParent = new Map<MadeCall, Moment[]>();
  for (const call of made) {
    const { parent } = call;
    if (parent === undefined || call.source?.call === undefined || call.source.parent !== parent.source)
      continue;
    const siblings = byParent.get(parent) ?? [];
    byParent.set(parent, siblings);
    const { startUs, endUs } = timesOf(call.source.call);
    siblings.push({ call, startUs, endUs: endUs + coarsenessUs });
  }
  return [...byParent.values()].flatMap((siblings) => outOfOrder(siblings).map(({ call }) => call));
}

function outOfOrder(moments: readonly Moment[]): Moment[] {
  const inOrder = longestRising(moments);
  const beforeEarlier = new Set<Moment>();
  let earliestEndAfter = Infinity;
  // What took no time and began at the same moment has no order, though it had ended when the other began.
  let earliestEndOfLong = Infinity;
  for (const moment of moments.toReversed()) {
    if (earliestEndAfter < moment.startUs || earliestEndOfLong <= moment.startUs) beforeEarlier.add(moment);
    earliestEndAfter = Math.min(earliestEndAfter, moment.endUs);
    if (moment.startUs < moment.endUs) earliestEndOfLong = Math.min(earliestEndOfLong, moment.endUs);
  }
  let latestStartBefore = -Infinity;
  return moments.filter((moment) => {
    const isAfterLater = latestStartBefore >= moment.endUs && latestStartBefore > moment.startUs;
    latestStartBefore = Math.max(latestStartBefore, moment.startUs);
    return (isAfterLater || beforeEarlier.has(moment)) && !inOrder.has(moment);
  });
}

/** The most moments that stand in the order they started in (patience sorting). */
function longestRising(moments: readonly Moment[]): Set<Moment> {
  const tails: Moment[] = [];
  const before = new Map<Moment, Moment | undefined>();
  for (const moment of moments) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle]?.startUs ?? Infinity) <= moment.startUs) low = middle + 1;
      else high = middle;
    }
    before.set(moment, tails[low - 1]);
    tails[low] = moment;
  }
  const rising = new Set<Moment>();
  for (let moment = tails.at(-1); moment !== undefined; moment = before.get(moment)) rising.add(moment);
  return rising;
}
