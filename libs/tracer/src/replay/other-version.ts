import type { Baseline } from './item-baseline.js';
import { callsIn } from './to-calls.js';
import type { OutcomeComparer } from './outcome-comparer.js';
import { emptyItem, type PlannedItem } from './planned-item.js';
import { replayCall, type ReplayContext } from './replay-call.js';

/**
 * How many items both versions replay before the run counts anything. The first call of a process loads modules, compiles code and
 * opens connections, and a later one may still: among 20 items, one such call is the 95th percentile.
 */
export const WARM_UP_ITEMS = 3;

/** The version that replays each call next to the candidate: another function, or the candidate itself. */
export class OtherVersion {
  constructor(
    readonly kind: 'function' | 'self',
    private readonly context: ReplayContext,
    private readonly comparer: OutcomeComparer,
  ) {}

  /**
   * Whether this version replays the item before the candidate. The order alternates between items (ABBA), so that a
   * drift of the process, or an advantage of the second call, affects both versions equally.
   */
  isFirst(itemNo: number, repetition: number): boolean {
    return (itemNo + repetition) % 2 === 0;
  }

  /** Replays the item. Never rejects. @returns no outcome if the function could not be called */
  async run(planned: PlannedItem): Promise<Baseline> {
    const item = emptyItem(planned, undefined);
    const result = await replayCall(this.context, planned, item);
    const { outcome, definition, wasCalled, lines } = result;
    const { error } = item;
    if (!wasCalled) return { problem: error instanceof Error ? error.message : String(error) };
    const stored = this.comparer.record(outcome, definition);
    return {
      beside: result,
      compared: { kind: this.kind, stored, value: outcome },
      earlier: {
        outcome,
        isWhole: true,
        durationMs: item.durationMs,
        usage: item.usage,
        modelCalls: item.modelCalls,
        calls: callsIn(item.spanId, lines, this.context.codecs),
      },
    };
  }
}
