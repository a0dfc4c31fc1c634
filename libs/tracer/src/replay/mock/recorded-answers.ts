import type { Codec } from '../../capture/codec.js';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import { answerInTurn } from './answer-in-turn.js';
import type { CompletionOrder } from './completion-order.js';
import type { MadeCall } from './made-call.js';
import { mockMiss } from './mock-miss.js';
import { type UnrestorableOutcome, restoreOutcome, RECORD_AGAIN } from './restore-outcome.js';
import type { RecordedTree } from './recorded-tree.js';

export interface RecordedAnswersParts {
  readonly recorded: RecordedTree;
  readonly order: CompletionOrder;
  readonly codecs: readonly Codec[];
  readonly nowMs: () => number;
}

/** Answers calls with what their recorded calls gave. */
export class RecordedAnswers {
  /** Fails each call that waits for the application to take it back. */
  private readonly pending = new Map<MadeCall, () => void>();

  constructor(private readonly parts: RecordedAnswersParts) {}

  /** What gives the recorded outcome again; why it cannot be given; `undefined` when there is none. */
  answer(
    made: MadeCall,
    definition: SpanDefinition,
    fn: AnyFunction,
    signals: readonly AbortSignal[],
  ): AnyFunction | UnrestorableOutcome | undefined {
    const source = made.source?.call;
    if (source === undefined) return undefined;
    const { codecs, nowMs, order } = this.parts;
    const isTakenBack = signals.length > 0 && source.status === 'cancelled' && source.meta?.answered !== true;
    if (isTakenBack && source.meta?.stream === undefined)
      return () => this.untilTakenBack(made, definition, signals);
    const outcome = restoreOutcome(source, codecs, (reason) => {
      if (isTakenBack) return this.untilTakenBack(made, definition, signals);
      made.unanswerable = reason;
      throw this.miss(made, definition, { reason, cure: RECORD_AGAIN });
    });
    if ('reason' in outcome) return outcome;
    return answerInTurn(fn, source, outcome.give, order, nowMs());
  }

  /** The error of a call that cannot be answered. @param none why not; absent: there is no such recorded call */
  miss(made: MadeCall, { mockOnReplay }: SpanDefinition, none: UnrestorableOutcome | undefined): Error {
    return mockMiss(this.parts.recorded, made, mockOnReplay !== false, none);
  }

  ended(made: MadeCall): void {
    this.pending.delete(made);
  }

  /** Fails what is still pending. */
  close(): void {
    for (const fail of this.pending.values()) fail();
    this.pending.clear();
  }

  /** Pending until the application takes the call back, as it did when it was recorded, or the replayed call ends. */
  private untilTakenBack(
    made: MadeCall,
    definition: SpanDefinition,
    signals: readonly AbortSignal[],
  ): Promise<never> {
    return new Promise((_, reject) => {
      this.pending.set(made, () => {
        if (signals.some(({ aborted }) => aborted)) return;
        made.unanswerable = 'it was taken back when it was recorded, and is not any more';
        reject(this.miss(made, definition, { reason: made.unanswerable, cure: RECORD_AGAIN }));
      });
    });
  }
}
