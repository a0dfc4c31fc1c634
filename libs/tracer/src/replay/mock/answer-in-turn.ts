import { types } from 'node:util';
import type { RecordedCall } from '@dacapo/protocol';
import type { AnyFunction } from '../../recording/span-definition.js';
import type { CompletionOrder } from './completion-order.js';
import type { StreamTurns } from './restore-outcome.js';
import { readTimes } from './recorded-times.js';

/**
 * Whether a function returns its result directly instead of a promise: if today's function does. If that is unknown,
 * the recorded call decides.
 */
export function answersAtOnce(fn: AnyFunction, recorded: RecordedCall | undefined): boolean {
  // Both kinds of generator functions return their generator directly, and Node reports async ones as async functions.
  if (types.isGeneratorFunction(fn)) return true;
  return !types.isAsyncFunction(fn) && (recorded === undefined || recorded.meta?.sync === true);
}

/** Returns the answer of a recorded call instead of running a function: directly, or as a promise when its turn comes. */
export function answerInTurn(
  fn: AnyFunction,
  recorded: RecordedCall,
  give: (turns: StreamTurns) => unknown,
  order: CompletionOrder,
  madeMs: number,
): AnyFunction {
  const turnAt = (share: number): Promise<void> => {
    const { startUs } = readTimes(recorded);
    const atUs = estimateMoment(recorded, share);
    return order.turn({ startUs, endUs: atUs, latestMs: madeMs + (atUs - startUs) / 1000 });
  };
  const items = recorded.meta?.stream?.items ?? 0;
  const turns: StreamTurns = (index) => turnAt(items === 0 ? 1 : index / items);
  if (answersAtOnce(fn, recorded)) return () => give(turns);
  return async () => {
    await turnAt(0);
    return give(turns);
  };
}

/**
 * When a share of a call's result had arrived: 0 is the first item of a stream, 1 is the end, which is the only time of
 * other results. The times of items in between are not recorded, so they are spread evenly.
 */
function estimateMoment(recorded: RecordedCall, share: number): number {
  const { startUs, endUs } = readTimes(recorded);
  const afterMs = recorded.meta?.stream?.time_to_first_item_ms;
  if (afterMs === undefined || share === 1) return endUs;
  const firstUs = Math.min(startUs + Math.round(afterMs * 1000), endUs);
  return firstUs + share * (endUs - firstUs);
}
