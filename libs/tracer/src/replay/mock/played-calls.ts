import { countedSpans, countUsage, untoldCalls, type UsageSpan } from '@dacapo/evaluation';
import type { RecordedCall, RecordedDescendant, SpanType } from '@dacapo/protocol';
import type { ByteString } from '../../byte-string.js';
import type { Codec } from '../../capture/codec.js';
import type { OpenedCall, ReplayedCalls } from '../../recording/replay-scope.js';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import type { CountedCalls, ModelUse } from '../call-costs.js';
import { NetworkDeniedError, ReplayMockMissError } from '../errors.js';
import type { ReplayDivergence } from '../replay-result.js';
import { answerInTurn, answersAtOnce } from './answer-in-turn.js';
import { argumentsOfOpened } from './call-arguments.js';
import { CompletionOrder, type TieBreak } from './completion-order.js';
import { findDivergences, isOutOfSight } from './find-divergences.js';
import type { MadeCall } from './made-call.js';
import { mockMiss } from './mock-miss.js';
import type { MockPolicy } from './mock-policy.js';
import { type NoOutcome, outcomeOf, RECORD_AGAIN } from './recorded-outcome.js';
import { ANY, type RecordedNode, RecordedTree } from './recorded-tree.js';
import { timesOf } from './recorded-times.js';
import { UnwrappedCalls } from './unwrapped-calls.js';

export interface PlayedCallsSettings {
  readonly network?: 'allow' | 'deny' | undefined;
  /** Where the service is, as `host:port`: what is asked of it is no part of the call. */
  readonly serviceTarget?: string | undefined;
  readonly policy: MockPolicy;
  readonly codecs: readonly Codec[];
  /** The played key, where the function that plays it was not wrapped: `(order) => shop.place(order)`. */
  readonly bareKey?: string | undefined;
  readonly nowMs: () => number;
  /** Evaluators may ask what was called. */
  readonly keepsLines?: boolean;
  readonly tieBreak?: TieBreak;
}

/**
 * The calls inside one replayed call: runs them or answers them from its recording, as the policy wants, and notes how they
 * differ from those that were recorded.
 */
export class PlayedCalls implements ReplayedCalls {
  /** How many calls of each key ran. */
  readonly ran = new Map<string, number>();

  /** How many model calls of each key ran although they were to be answered: only an adapter saw them. */
  readonly unwrapped = new Map<string, number>();

  /** What code inside would have connected to. */
  readonly denied = new Set<string>();

  /** Whether some call was answered, or was to be: how long it would take is not known. */
  isMocked = false;

  /** The records of all of them and of the played one, as they are sent; empty unless they are kept. */
  readonly lines: ByteString[] = [];

  private readonly recorded: RecordedTree;
  private readonly order: CompletionOrder;
  private readonly made = new Map<string, MadeCall>();
  /** The played call, for those that have no recorded one above them: where what is played is not traced itself. */
  private untraced: MadeCall | undefined;
  private isHandedOn = false;
  /** Fails each call that waits for the application to take it back. */
  private readonly pending = new Map<MadeCall, () => void>();
  private readonly unwrappedCalls = new UnwrappedCalls();

  /**
   * @param played absent: what is played was not recorded
   * @param calls absent: they cannot be had, and nothing is compared
   */
  constructor(
    private readonly played: RecordedCall | undefined,
    private readonly calls: readonly RecordedDescendant[] | undefined,
    private readonly settings: PlayedCallsSettings,
  ) {
    this.recorded = new RecordedTree(played?.span_id ?? '', calls ?? []);
    this.order = new CompletionOrder(settings.nowMs, this.recorded.coarsenessUs, settings.tieBreak);
  }

  /** Answers came in one of several orders that may have been the recorded one, and nothing of the call reached the world. */
  get mayComeOtherwise(): boolean {
    return this.order.hasTies && this.ran.size === 0 && this.denied.size === 0;
  }

  /** Whether a model call ran, and was not answered from the recording. */
  get ranModel(): boolean {
    return [...this.made.values()].some(({ type, isMocked }) => type === 'llm' && !isMocked);
  }

  opened(call: OpenedCall): void {
    const { parentId, definition, isPlayed = false } = call.start;
    if (isPlayed || this.isPlayedInside(call)) {
      this.made.set(call.spanId, this.playedCall(call.spanId, definition.type));
      this.order.began(call.spanId, this.played === undefined ? Infinity : timesOf(this.played).endUs);
      return;
    }
    const { policy } = this.settings;
    const parent = (parentId !== undefined && this.made.get(parentId)) || this.untracedCall();
    const made: MadeCall = {
      spanId: call.spanId,
      type: definition.type,
      usage: undefined,
      hasFailed: false,
      parent,
      path: [...parent.path, definition.key],
      args: argumentsOfOpened(call),
      isUnseen: !call.trace.sampled,
      source: undefined,
      isLookedUp: false,
      hasOtherArguments: false,
      isMocked: false,
      isLive: policy.isLive(definition),
      unanswerable: undefined,
    };
    this.made.set(call.spanId, made);
    this.unwrappedCalls.opened(made, policy.treatmentOf(definition) === 'answer');
  }

  written(line: ByteString): void {
    if (this.settings.keepsLines === true) this.lines.push(line);
  }

  ended(call: OpenedCall): void {
    const made = this.made.get(call.spanId);
    if (made !== undefined) {
      made.usage = call.usage;
      made.hasFailed = call.hasFailed;
      this.unwrappedCalls.ended(made);
      this.pending.delete(made);
    }
    this.order.ended(call.spanId);
  }

  bodyOf(call: OpenedCall, fn: AnyFunction): AnyFunction {
    const made = this.made.get(call.spanId);
    if (made?.parent === undefined) return fn;
    this.unwrappedCalls.wrapped(made);
    const { definition } = call.start;
    const { policy } = this.settings;
    const treatment = policy.treatmentOf(definition);
    const onMiss = policy.onMissOf(definition);
    // A call that runs may be one of whose arguments nothing is known; one that is answered may not.
    this.lookUp(made, { byPlace: treatment !== 'answer' && made.args?.identity === undefined });
    if (treatment === 'run') return this.run(made, definition, fn);
    if (treatment === 'answer' && onMiss === 'recorded') this.takePlace(made);
    const answer = treatment === 'answer' ? this.answer(made, definition, fn, call.signals ?? []) : treatment;
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
      throw this.miss(made, definition, answer);
    };
    if (answersAtOnce(fn, like)) return fail;
    return async () => {
      await this.order.next();
      fail();
    };
  }

  unanswerable(call: OpenedCall, reason: string): Error {
    const { definition } = call.start;
    const made = this.made.get(call.spanId) ?? this.untracedCall();
    made.unanswerable = reason;
    return this.miss(made, definition, { reason, cure: 'Ask for what is recorded' });
  }

  denyConnection(spanId: string | undefined, target: string): Error | undefined {
    if (this.settings.network !== 'deny' || target === this.settings.serviceTarget) return undefined;
    let made = spanId === undefined ? undefined : this.made.get(spanId);
    for (; made !== undefined; made = made.parent) if (made.isLive) return undefined;
    this.denied.add(target);
    return new NetworkDeniedError(target);
  }

  unrecorded(definition: SpanDefinition, fn: AnyFunction): AnyFunction {
    const { policy } = this.settings;
    const treatment = policy.treatmentOf(definition);
    const isRun = treatment === 'run' || policy.onMissOf(definition) === 'run';
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
    if (this.calls === undefined || this.played === undefined) return undefined;
    const made = [...(this.untraced === undefined ? [] : [this.untraced]), ...this.made.values()];
    for (const call of made) this.lookUp(call, { byPlace: true });
    return findDivergences(this.played, this.recorded, made);
  }

  /**
   * The model calls, now and in the recording. Where one was answered, it is not known what it would use now. What is recorded
   * and cannot be seen in a replay is left out: it would be missing on one side alone.
   */
  modelCalls(): CountedCalls {
    const made = [...this.made.values()];
    const answered = new Set(made.filter(({ isMocked }) => isMocked).map(({ source }) => source));
    // What was called inside an answered call was not made either.
    const isAnswered = (node: RecordedNode | undefined): boolean =>
      node !== undefined && (answered.has(node) || isAnswered(node.parent));
    const nodes = this.recorded.nodes.filter(isAnswered);
    const isKnown = countUsage(nodes.flatMap(({ call }) => (call ? [recordedUse(call)] : []))) === undefined;
    const { played } = this;
    const seen = this.recorded.nodes.flatMap((node) =>
      node.call === undefined || played === undefined || isOutOfSight(node, played) ? [] : [node.call],
    );
    return {
      now: isKnown
        ? useOf(made.map(({ parent, ...call }) => ({ ...call, parentId: parent?.spanId })))
        : undefined,
      original: this.calls && played && useOf([played, ...seen].map(recordedUse)),
    };
  }

  /** The replayed call has ended: fails what is still pending, and counts the model calls that only an adapter saw. */
  close(): void {
    for (const fail of this.pending.values()) fail();
    this.pending.clear();
    for (const { key, isAgainstPolicy } of this.unwrappedCalls.find()) {
      increment(this.ran, key);
      if (isAgainstPolicy) increment(this.unwrapped, key);
    }
  }

  private run(made: MadeCall, { key }: SpanDefinition, fn: AnyFunction): AnyFunction {
    increment(this.ran, key);
    const source = made.source ?? this.recorded.at(made.path).find(({ isTaken }) => !isTaken);
    if (source?.call !== undefined) this.order.began(made.spanId, timesOf(source.call).endUs);
    return fn;
  }

  /** What gives the recorded outcome again; why it cannot be given; `undefined` when there is none. */
  private answer(
    made: MadeCall,
    definition: SpanDefinition,
    fn: AnyFunction,
    signals: readonly AbortSignal[],
  ): AnyFunction | NoOutcome | undefined {
    const source = made.source?.call;
    if (source === undefined) return undefined;
    const { codecs, nowMs } = this.settings;
    const isTakenBack = signals.length > 0 && source.status === 'cancelled';
    if (isTakenBack && source.meta?.stream === undefined)
      return () => this.untilTakenBack(made, definition, signals);
    const outcome = outcomeOf(source, codecs, (reason) => {
      if (isTakenBack) return this.untilTakenBack(made, definition, signals);
      made.unanswerable = reason;
      throw this.miss(made, definition, { reason, cure: RECORD_AGAIN });
    });
    if ('reason' in outcome) return outcome;
    return answerInTurn(fn, source, outcome.give, this.order, nowMs());
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

  private miss(made: MadeCall, { mockOnReplay }: SpanDefinition, none: NoOutcome | undefined): Error {
    return mockMiss(this.recorded, made, mockOnReplay !== false, none);
  }

  /** Whether it is the call that a function which was not wrapped hands its arguments on to: that one is played. */
  private isPlayedInside({ start: { parentId, definition } }: OpenedCall): boolean {
    const { key } = definition;
    const parent = parentId === undefined ? undefined : this.made.get(parentId);
    if (this.isHandedOn || key !== this.settings.bareKey || parent === undefined) return false;
    return (this.isHandedOn = parent.path.length === 0 && this.recorded.at([key]).length === 0);
  }

  private untracedCall(): MadeCall {
    return (this.untraced ??= this.playedCall('', 'custom'));
  }

  private playedCall(spanId: string, type: SpanType): MadeCall {
    return {
      spanId,
      type,
      usage: undefined,
      hasFailed: false,
      parent: undefined,
      path: [],
      args: undefined,
      isUnseen: false,
      source: this.recorded.root,
      isLookedUp: true,
      hasOtherArguments: false,
      isMocked: false,
      isLive: false,
      unanswerable: undefined,
    };
  }

  /** Spans of adapters never pass through `bodyOf`, and what went into them is known late: they are found by their place. */
  private lookUp(made: MadeCall, { byPlace }: { byPlace: boolean }): void {
    if (made.isLookedUp) return;
    made.isLookedUp = true;
    const { parent, path, args } = made;
    if (parent !== undefined) this.lookUp(parent, { byPlace: true });
    if (args !== undefined) made.source = this.recorded.take(path, parent?.source, args.identity);
    if (byPlace) made.source ??= this.recorded.take(path, parent?.source, ANY);
  }

  /** Takes the next call at the same place, whatever its arguments. */
  private takePlace(made: MadeCall): void {
    if (made.source !== undefined) return;
    const above: RecordedNode | undefined = made.parent?.source;
    const next = this.recorded
      .at(made.path)
      .find(({ isTaken, parent }) => !isTaken && (above === undefined || parent === above));
    if (next === undefined) return;
    next.isTaken = true;
    made.source = next;
    made.hasOtherArguments = made.args !== undefined && next.args !== undefined;
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

type ModelSpan = UsageSpan & { readonly hasFailed: boolean };

function useOf(spans: readonly ModelSpan[]): ModelUse {
  return {
    told: countedSpans(spans).map(({ usage = {} }) => usage),
    untold: untoldCalls(spans).length,
  };
}

function recordedUse(call: RecordedCall & { readonly parent_id?: string }): ModelSpan {
  const { span_id: spanId, parent_id: parentId, type, usage, status } = call;
  return { spanId, parentId, type, usage, hasFailed: status === 'error' };
}
