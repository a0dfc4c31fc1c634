import { CLIENT_ANSWERS } from '../../adapters/client-answers.js';
import {
  type NormalizedCalls,
  parseTimestamp,
  type RecordedCall,
  type RecordedDescendant,
} from '@dacapo/protocol';
import type { ByteString } from '../../byte-string.js';
import { realEpochMs } from '../../context/clock.js';
import type { Codec } from '../../options/capture-options.js';
import type { OpenedCall, ReplayedCalls } from '../../recording/replay-scope.js';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import type { CountedCalls } from '../call-costs.js';
import { NetworkDeniedError, ReplayMockMissError } from '../errors.js';
import type { ReplayDivergence } from '../../replay-types.js';
import { answersAtOnce } from './answer-in-turn.js';
import { ArgumentNormalizer } from './argument-normalizer.js';
import { CallMatcher } from './call-matcher.js';
import { CompletionOrder, type TieBreak } from './completion-order.js';
import { countModelCalls } from './count-model-calls.js';
import { findDivergences } from './find-divergences.js';
import type { MadeCall } from './made-call.js';
import type { MockPolicy } from './mock-policy.js';
import { RecordedAnswers } from './recorded-answers.js';
import { RecordedTree } from './recorded-tree.js';
import { readTimes } from './recorded-times.js';
import { UnwrappedCalls } from './unwrapped-calls.js';

export interface InnerCallsSettings {
  readonly network?: 'allow' | 'deny' | undefined;
  /** Where the service is, as `host:port`: what is asked of it is no part of the call. */
  readonly serviceTarget?: string | undefined;
  readonly policy: MockPolicy;
  readonly codecs: readonly Codec[];
  /** The replayed key, where the function that replays it was not wrapped: `(order) => shop.place(order)`. */
  readonly bareKey?: string | undefined;
  readonly nowMs: () => number;
  /** Evaluators may ask what was called. */
  readonly keepsLines?: boolean;
  readonly tieBreak?: TieBreak;
  /** Default: every part of the arguments must be equal. */
  readonly normalizer?: ArgumentNormalizer;
}

/**
 * The calls inside one replayed call: runs them or answers them from its recording, as the policy wants, and notes how they
 * differ from those that were recorded.
 */
export class InnerCalls implements ReplayedCalls {
  /** How many calls of each key ran. */
  readonly ran = new Map<string, number>();

  /** How many model calls of each key ran although they were to be answered: only an adapter saw them. */
  readonly unwrapped = new Map<string, number>();

  /** What code inside would have connected to. */
  readonly denied = new Set<string>();

  /** Whether some call was answered, or was to be: how long it would take is not known. */
  isMocked = false;

  /** The records of all of them and of the replayed one, as they are sent; empty unless they are kept. */
  readonly lines: ByteString[] = [];
  readonly clientAnswers = CLIENT_ANSWERS;

  private readonly recorded: RecordedTree;
  private readonly order: CompletionOrder;
  private readonly matcher: CallMatcher;
  private readonly answers: RecordedAnswers;
  private readonly unwrappedCalls = new UnwrappedCalls();
  private clockMs = 0;

  /**
   * @param replayed absent: what is replayed was not recorded
   * @param calls absent: they cannot be had, and nothing is compared
   */
  constructor(
    private readonly replayed: RecordedCall | undefined,
    private readonly calls: readonly RecordedDescendant[] | undefined,
    private readonly settings: InnerCallsSettings,
  ) {
    const { nowMs, tieBreak, policy, codecs, bareKey, normalizer = new ArgumentNormalizer() } = settings;
    this.recorded = new RecordedTree(replayed?.span_id ?? '', calls ?? [], normalizer);
    this.order = new CompletionOrder(nowMs, this.recorded.coarsenessUs, tieBreak);
    this.matcher = new CallMatcher({ recorded: this.recorded, normalizer, policy, bareKey });
    this.answers = new RecordedAnswers({ recorded: this.recorded, order: this.order, codecs, nowMs });
  }

  /** Answers came in one of several orders that may have been the recorded one, and nothing of the call reached the world. */
  get mayComeOtherwise(): boolean {
    return this.order.hasTies && this.ran.size === 0 && this.denied.size === 0;
  }

  /** Whether a model call ran, and was not answered from the recording. */
  get ranModel(): boolean {
    return this.matcher.made.some(({ type, isMocked }) => type === 'llm' && !isMocked);
  }

  /** From now on code inside reads the recorded call's time. @returns whether that is known */
  startRecordedClock(): boolean {
    const startedUs = this.replayed && parseTimestamp(this.replayed.started_at);
    if (startedUs === undefined) return false;
    this.clockMs = Math.floor(startedUs / 1000) - realEpochMs();
    return true;
  }

  clockOffsetMs(spanId: string | undefined): number {
    if (this.clockMs === 0) return 0;
    // A model that really runs signs its requests and checks when its tokens expire.
    for (let made = this.matcher.get(spanId); made?.parent !== undefined; made = made.parent)
      if (made.type === 'llm' && !made.isMocked) return 0;
    return this.clockMs;
  }

  opened(call: OpenedCall): void {
    const { made, isReplayed } = this.matcher.add(call);
    if (isReplayed) {
      this.order.began(call.spanId, this.replayed === undefined ? Infinity : readTimes(this.replayed).endUs);
      return;
    }
    this.unwrappedCalls.opened(
      made,
      this.settings.policy.chooseTreatment(call.start.definition) === 'answer',
    );
  }

  written(line: ByteString): void {
    if (this.settings.keepsLines === true) this.lines.push(line);
  }

  ended(call: OpenedCall): void {
    const made = this.matcher.get(call.spanId);
    if (made !== undefined) {
      made.usage = call.usage;
      made.hasFailed = call.hasFailed;
      this.unwrappedCalls.ended(made);
      this.answers.ended(made);
    }
    this.order.ended(call.spanId);
  }

  chooseFunction(call: OpenedCall, fn: AnyFunction): AnyFunction {
    const made = this.matcher.get(call.spanId);
    if (made?.parent === undefined) return fn;
    const { filesRead } = call;
    if (filesRead === undefined || answersAtOnce(fn, this.recorded.at(made.path)[0]?.call))
      return this.chooseFor(call, made, fn);
    const choose = (): AnyFunction => {
      this.matcher.readArguments(call, made);
      return this.chooseFor(call, made, fn);
    };
    return async function (this: unknown, ...args) {
      await filesRead;
      return Reflect.apply(choose(), this, args) as unknown;
    };
  }

  private chooseFor(call: OpenedCall, made: MadeCall, fn: AnyFunction): AnyFunction {
    this.unwrappedCalls.wrapped(made);
    const { definition } = call.start;
    const { policy } = this.settings;
    const treatment = policy.chooseTreatment(definition);
    const onMiss = policy.chooseOnMiss(definition);
    // A call that runs may be one of whose arguments nothing is known; one that is answered may not.
    const isUnknown = made.args?.identity === undefined && made.args?.normalized === undefined;
    this.matcher.match(made, { byPlace: treatment !== 'answer' && isUnknown });
    if (treatment === 'run') return this.run(made, definition, fn);
    if (treatment === 'answer' && onMiss === 'recorded') this.matcher.takePlace(made);
    const answer =
      treatment === 'answer' ? this.answers.answer(made, definition, fn, call.signals ?? []) : treatment;
    call.isMocked = made.isMocked = typeof answer === 'function' || onMiss !== 'run';
    this.isMocked ||= made.isMocked;
    if (typeof answer === 'function') {
      call.mockedFrom = made.source?.call?.span_id;
      return answer;
    }
    made.unanswerable = answer?.reason;
    if (onMiss === 'run') return this.run(made, definition, fn);
    const like = made.source?.call ?? this.recorded.at(made.path)[0]?.call;
    const fail = (): never => {
      throw this.answers.miss(made, definition, answer);
    };
    if (answersAtOnce(fn, like)) return fail;
    return async () => {
      await this.order.next();
      fail();
    };
  }

  unanswerable(call: OpenedCall, reason: string): Error {
    const { definition } = call.start;
    const made = this.matcher.get(call.spanId) ?? this.matcher.untracedCall();
    made.unanswerable = reason;
    return this.answers.miss(made, definition, { reason, cure: 'Ask for what is recorded' });
  }

  denyConnection(spanId: string | undefined, target: string): Error | undefined {
    if (this.settings.network !== 'deny' || target === this.settings.serviceTarget) return undefined;
    for (let made = this.matcher.get(spanId); made !== undefined; made = made.parent)
      if (made.isLive) return undefined;
    this.denied.add(target);
    return new NetworkDeniedError(target);
  }

  unrecorded(definition: SpanDefinition, fn: AnyFunction): AnyFunction {
    const { policy } = this.settings;
    const treatment = policy.chooseTreatment(definition);
    const isRun = treatment === 'run' || policy.chooseOnMiss(definition) === 'run';
    this.isMocked ||= typeof treatment === 'function' || !isRun;
    if (typeof treatment === 'function') return treatment;
    if (isRun) return fn;
    throw new ReplayMockMissError({
      path: [definition.key],
      isMarked: definition.mockOnReplay !== false,
      problem: 'its tracer does not record it',
      cure: 'Turn its tracer on',
    });
  }

  /** `undefined` when nothing was compared. */
  divergences(): ReplayDivergence[] | undefined {
    if (this.calls === undefined || this.replayed === undefined) return undefined;
    return findDivergences(this.replayed, this.recorded, this.matcher.matchAll());
  }

  /** The model calls, now and in the recording. */
  modelCalls(): CountedCalls {
    return countModelCalls(this.matcher.made, this.recorded, this.calls && this.replayed);
  }

  /** How many calls of each key were found by arguments that are equal but for the parts that may differ. */
  normalizedCalls(): NormalizedCalls[] {
    const byKey = new Map<string, NormalizedCalls>();
    for (const { normalized, path } of this.matcher.made) {
      if (normalized === undefined) continue;
      const key = path.at(-1) ?? '';
      const { calls, ambiguous } = byKey.get(key) ?? { calls: 0, ambiguous: 0 };
      byKey.set(key, { key, calls: calls + 1, ambiguous: ambiguous + (normalized.isAmbiguous ? 1 : 0) });
    }
    return [...byKey.values()];
  }

  /** The replayed call has ended: fails what is still pending, and counts the model calls that only an adapter saw. */
  close(): void {
    this.answers.close();
    for (const { key, isAgainstPolicy } of this.unwrappedCalls.find()) {
      increment(this.ran, key);
      if (isAgainstPolicy) increment(this.unwrapped, key);
    }
  }

  private run(made: MadeCall, { key }: SpanDefinition, fn: AnyFunction): AnyFunction {
    increment(this.ran, key);
    const source = made.source ?? this.recorded.at(made.path).find(({ isTaken }) => !isTaken);
    if (source?.call !== undefined) this.order.began(made.spanId, readTimes(source.call).endUs);
    return fn;
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
