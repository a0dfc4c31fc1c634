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
  /** The service's address as `host:port`. Requests to it are not part of the call. */
  readonly serviceTarget?: string | undefined;
  readonly policy: MockPolicy;
  readonly codecs: readonly Codec[];
  /** The replayed key, if the replaying function is not wrapped: `(order) => shop.place(order)`. */
  readonly bareKey?: string | undefined;
  readonly nowMs: () => number;
  /** Whether evaluators may read inner calls. */
  readonly keepsLines?: boolean;
  /** Whether records stay in this process. Default: `false`, the tracer sends them. */
  readonly isLocal?: boolean;
  readonly tieBreak?: TieBreak;
  /** Default: every part of the arguments must be equal. */
  readonly normalizer?: ArgumentNormalizer;
  /** Receives the error of each call that cannot be answered. The application may catch what the call throws. */
  readonly onMiss?: ((error: ReplayMockMissError) => void) | undefined;
}

/**
 * The calls inside one replayed call: runs them or answers them from the recording, by the policy, and notes how they
 * differ from the recorded ones.
 */
export class InnerCalls implements ReplayedCalls {
  /** How many calls of each key ran. */
  readonly ran = new Map<string, number>();

  /** How many model calls of each key ran although the recording should answer them: only an adapter observed them. */
  readonly unwrapped = new Map<string, number>();

  /** Addresses of denied connections. */
  readonly denied = new Set<string>();

  /** Whether a call was, or should be, answered, so that its duration is unknown. */
  isMocked = false;

  /** The sent records of all calls and of the replayed one; empty unless they are kept. */
  readonly lines: ByteString[] = [];
  readonly clientAnswers = CLIENT_ANSWERS;
  readonly keep?: () => void;

  private readonly recorded: RecordedTree;
  private readonly order: CompletionOrder;
  private readonly matcher: CallMatcher;
  private readonly answers: RecordedAnswers;
  private readonly unwrappedCalls = new UnwrappedCalls();
  private clockMs = 0;

  /**
   * @param replayed absent: the replayed call was not recorded
   * @param calls absent: they are unavailable, so nothing is compared
   */
  constructor(
    private readonly replayed: RecordedCall | undefined,
    private readonly calls: readonly RecordedDescendant[] | undefined,
    private readonly settings: InnerCallsSettings,
  ) {
    const { nowMs, tieBreak, policy, codecs, bareKey, onMiss } = settings;
    const { normalizer = new ArgumentNormalizer() } = settings;
    this.recorded = new RecordedTree(replayed?.span_id ?? '', calls ?? [], normalizer);
    this.order = new CompletionOrder(nowMs, this.recorded.coarsenessUs, tieBreak);
    this.matcher = new CallMatcher({ recorded: this.recorded, normalizer, policy, bareKey });
    if (settings.isLocal === true) this.keep = () => undefined;
    this.answers = new RecordedAnswers({ recorded: this.recorded, order: this.order, codecs, nowMs, onMiss });
  }

  /** Whether the recording allows another order of answers, and the call had no external effect, so that it can run again. */
  get mayComeOtherwise(): boolean {
    return this.order.hasTies && this.ran.size === 0 && this.denied.size === 0;
  }

  /** Whether a model call ran instead of being answered from the recording. */
  get ranModel(): boolean {
    return this.matcher.made.some(({ type, isMocked }) => type === 'llm' && !isMocked);
  }

  /** Makes code inside read the recorded call's time from now on. @returns whether the time is known */
  startRecordedClock(): boolean {
    const startedUs = this.replayed && parseTimestamp(this.replayed.started_at);
    if (startedUs === undefined) return false;
    this.clockMs = Math.floor(startedUs / 1000) - realEpochMs();
    return true;
  }

  clockOffsetMs(spanId: string | undefined): number {
    if (this.clockMs === 0) return 0;
    // A model that runs signs its requests and checks the expiry of its tokens, so it needs the real time.
    for (let made = this.matcher.get(spanId); made?.parent !== undefined; made = made.parent)
      if (made.type === 'llm' && !made.isMocked) return 0;
    return this.clockMs;
  }

  /** @param isRoot whether it is the replayed call itself */
  opened(call: OpenedCall, isRoot = call.start.isReplayRoot ?? false): void {
    const { made, isReplayed } = this.matcher.add(call, isRoot);
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
    // A call that runs may have unknown arguments; an answered call may not.
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
    // Known at once: the replayed call may end before its caller hears of it.
    const error = this.answers.miss(made, definition, answer);
    const fail = (): never => {
      throw error;
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
    return this.answers.miss(made, definition, { reason, cure: 'Call what the recording has' });
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
    const error = new ReplayMockMissError({
      path: [definition.key],
      isMarked: definition.mockOnReplay !== false,
      problem: 'its tracer does not record it',
      cure: 'Turn its tracer on',
    });
    this.settings.onMiss?.(error);
    throw error;
  }

  /** `undefined` if nothing was compared. */
  divergences(): ReplayDivergence[] | undefined {
    if (this.calls === undefined || this.replayed === undefined) return undefined;
    return findDivergences(this.replayed, this.recorded, this.matcher.matchAll());
  }

  /** The model calls of the candidate and the recording. */
  modelCalls(): CountedCalls {
    return countModelCalls(this.matcher.made, this.recorded, this.calls && this.replayed);
  }

  /** How many calls of each key were found by arguments that are equal except for parts that may differ. */
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

  /** How many calls were found although their secrets were masked with another salt. */
  get anySecretCalls(): number {
    return this.matcher.made.filter(({ normalized, args }) => normalized && args?.isAnySecret).length;
  }

  /** The replayed call has ended: fails pending calls, and counts model calls that only an adapter observed. */
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
