import { types } from 'node:util';
import type { RecordedCall } from '@dacapo/protocol';
import type { AnyFunction } from '../../recording/span-definition.js';
import type { CompletionOrder } from './completion-order.js';
import type { StreamTurns } from './restore-outcome.js';
import { readTimes } from './recorded-times.js';

/**
 * Whether a function gives its answer at once, not by a promise: if that of today does not promise; where it does not show,
 * if the recorded one did not, if there is one.
 */
export function answersAtOnce(fn: AnyFunction, recorded: RecordedCall | undefined): boolean {
  // Of generator functions both kinds give their generator at once, and Node calls the asynchronous kind async as well.
  if (types.isGeneratorFunction(fn)) return true;
  return !types.isAsyncFunction(fn) && (recorded === undefined || recorded.meta?.sync === true);
}

/** What gives the answer of a recorded call in place of a function: at once, or by a promise when its turn has come. */
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
 * When a share of what a call gave had come: 0 is the first item of a stream, 1 is the end, which is all that there is of
 * others. When the items in between came is not recorded: one after the other.
 */
function estimateMoment(recorded: RecordedCall, share: number): number {
  const { startUs, endUs } = readTimes(recorded);
  const afterMs = recorded.meta?.stream?.time_to_first_item_ms;
  if (afterMs === undefined || share === 1) return endUs;
  const firstUs = Math.min(startUs + Math.round(afterMs * 1000), endUs);
  return firstUs + share * (endUs - firstUs);
}
