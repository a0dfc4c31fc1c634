import type { Codec } from '../../options/capture-options.js';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import { ReplayMockMissError } from '../errors.js';
import { answerInTurn } from './answer-in-turn.js';
import { areAlike, findDifferingPaths } from './call-arguments.js';
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
  /** Receives each error of a call that cannot be answered. */
  readonly onMiss?: ((error: ReplayMockMissError) => void) | undefined;
}

/** Answers calls with their recorded outcomes. */
export class RecordedAnswers {
  /** Fails calls that wait for the application to cancel them. */
  private readonly pending = new Map<MadeCall, () => void>();

  constructor(private readonly parts: RecordedAnswersParts) {}

  /** Restores the recorded outcome, or says why it cannot; `undefined` without a recorded call. */
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

  /** The error of a call that cannot be answered. @param none why not; absent: no recorded call matches */
  miss(made: MadeCall, { mockOnReplay }: SpanDefinition, none: UnrestorableOutcome | undefined): Error {
    const error = mockMiss(this.parts.recorded, made, mockOnReplay !== false, none);
    this.parts.onMiss?.(error);
    return error;
  }

  ended(made: MadeCall): void {
    this.pending.delete(made);
  }

  /** Fails all pending calls. */
  close(): void {
    for (const fail of this.pending.values()) fail();
    this.pending.clear();
  }

  /** Pending until the application cancels the call, as in the recording, or until the replayed call ends. */
  private untilTakenBack(
    made: MadeCall,
    definition: SpanDefinition,
    signals: readonly AbortSignal[],
  ): Promise<never> {
    return new Promise((_, reject) => {
      this.pending.set(made, () => {
        if (signals.some(({ aborted }) => aborted)) return;
        made.unanswerable = 'it was withdrawn in the recording, but not in the replay';
        reject(this.miss(made, definition, { reason: made.unanswerable, cure: RECORD_AGAIN }));
      });
    });
  }
}

const LONGEST_IN_A_MESSAGE = 300;

/**
 * The error of a call that cannot be answered.
 *
 * @param none why the outcome of the recorded call cannot be restored; absent: no call matches
 */
export function mockMiss(
  recorded: RecordedTree,
  made: MadeCall,
  isMarked: boolean,
  none?: UnrestorableOutcome,
): ReplayMockMissError {
  const { path, args } = made;
  const others = recorded.at(path).flatMap((node) => node.args ?? []);
  const texts = others.map(({ text }) => text);
  const closest = args && others[nearest(args.text, texts)];
  const nearestArguments = closest?.text;
  return new ReplayMockMissError({
    path,
    isMarked,
    problem: none?.reason ?? describeProblem(recorded, made, nearestArguments),
    cure: none?.cure,
    askedArguments: args?.text,
    nearestArguments,
    differingPaths: args && closest && findDifferingPaths(closest, args),
  });
}

function describeProblem(
  recorded: RecordedTree,
  { path, args }: MadeCall,
  closest: string | undefined,
): string {
  const alike = recorded.at(path);
  if (alike.length === 0) return 'the recording has no such call';
  if (args === undefined) return 'its arguments are not recorded, and the order does not identify the call';
  if (args.identity === undefined && args.normalized === undefined)
    return 'its arguments were cut without a hash, so they cannot be compared';
  if (alike.some((node) => node.args !== undefined && areAlike(node.args, args)))
    return `the recording has fewer calls with the arguments ${shorten(args.text, LONGEST_IN_A_MESSAGE)}`;
  const [asked, near] = shortenBoth(args.text, closest ?? args.text, LONGEST_IN_A_MESSAGE);
  const rest = closest === undefined ? 'the recorded calls have no arguments' : `nearest: ${near}`;
  return `the recording has no call with the arguments ${asked}; ${rest}`;
}
