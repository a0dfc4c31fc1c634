import type { Codec } from '../../options/capture-options.js';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import { ReplayMockMissError } from '../errors.js';
import { answerInTurn } from './answer-in-turn.js';
import { areAlike } from './call-arguments.js';
import type { CompletionOrder } from './completion-order.js';
import type { MadeCall } from './made-call.js';
import { nearest } from './nearest-text.js';
import { RECORD_AGAIN, restoreOutcome, type UnrestorableOutcome } from './restore-outcome.js';
import type { RecordedTree } from './recorded-tree.js';
import { shorten, shortenBoth } from './shorten.js';

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

const LONGEST_IN_A_MESSAGE = 300;

/**
 * What a call fails with that cannot be answered.
 *
 * @param none why the outcome of the recorded call cannot be given; absent: there is no such call
 */
export function mockMiss(
  recorded: RecordedTree,
  made: MadeCall,
  isMarked: boolean,
  none?: UnrestorableOutcome,
): ReplayMockMissError {
  const { path, args } = made;
  const texts = recorded.at(path).flatMap((node) => node.args?.text ?? []);
  const nearestArguments = args && texts[nearest(args.text, texts)];
  return new ReplayMockMissError({
    path,
    isMarked,
    problem: none?.reason ?? describeProblem(recorded, made, nearestArguments),
    cure: none?.cure,
    askedArguments: args?.text,
    nearestArguments,
  });
}

function describeProblem(
  recorded: RecordedTree,
  { path, args }: MadeCall,
  closest: string | undefined,
): string {
  const alike = recorded.at(path);
  if (alike.length === 0) return 'there is no such call in it';
  if (args === undefined) return 'its arguments are not recorded, and order alone tells no call from another';
  if (args.identity === undefined && args.normalized === undefined)
    return 'its arguments were cut, and without a hash of all of them nothing tells them from others';
  if (alike.some((node) => node.args !== undefined && areAlike(node.args, args)))
    return `it holds fewer calls with the arguments ${shorten(args.text, LONGEST_IN_A_MESSAGE)}`;
  const [asked, near] = shortenBoth(args.text, closest ?? args.text, LONGEST_IN_A_MESSAGE);
  const rest = closest === undefined ? 'its calls were recorded without arguments' : `nearest: ${near}`;
  return `it has no call with the arguments ${asked}; ${rest}`;
}
