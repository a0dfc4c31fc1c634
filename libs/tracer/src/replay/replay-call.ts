import { sumUsage } from '@dacapo/evaluation';
import type { RecordedInstance } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import { contextStorage } from '../context/context-storage.js';
import type { Codec } from '../options/capture-options.js';
import { readTracedKey } from '../recording/record-call.js';
import type { CallCosts, CountedCalls } from './call-costs.js';
import { InvalidOptionError } from '../errors.js';
import { drain, type ReadStream } from './drain.js';
import {
  CallNotFoundError,
  CallNotReplayableError,
  ReplayTimeoutError,
  SourceDeletedError,
} from './errors.js';
import type { TieBreak } from './mock/completion-order.js';
import type { ArgumentNormalizer } from './mock/argument-normalizer.js';
import type { MockPolicy } from './mock/mock-policy.js';
import { InnerCalls } from './mock/inner-calls.js';
import { isStillMissing } from './missing-parts.js';
import type { ReplayHooks } from './replay-hooks.js';
import type { ResolvedRunOptions } from '../options/run-options.js';
import type { PlannedItem, StoredInput } from './planned-item.js';
import type { OtlpArguments, ReplayDivergence, ReplayItem, ReplaySource } from '../replay-types.js';
import type { ReplayScope } from '../recording/replay-scope.js';
import type { SpanDefinition } from '../recording/span-definition.js';
import { describeArgument, whyNotReplayable } from './why-not-replayable.js';
import { withTimeout } from './with-timeout.js';

export type Replayable = (...args: unknown[]) => unknown;

/** What all calls of one replay share. */
export interface ReplayContext {
  readonly key: string;
  readonly fn: Replayable;
  /** Whether the replay wrapped `fn` itself. */
  readonly isBare: boolean;
  readonly testRunId: string;
  readonly options: ResolvedRunOptions;
  readonly policy: MockPolicy;
  readonly normalizer: ArgumentNormalizer;
  readonly costs: CallCosts;
  /** The address of the run's source as `host:port`; replayed code may connect there. */
  readonly sourceTarget: string | undefined;
  /** Whether the tracer records calls, so that inner calls are known. */
  readonly isRecorded: boolean;
  /** Whether records of replayed calls stay in this process. */
  readonly isLocal: boolean;
  readonly codecs: readonly Codec[];
  readonly hooks: ReplayHooks;
  /** Makes the arguments of spans that arrived by OTLP. */
  readonly args: OtlpArguments | undefined;
  readonly nowMs: () => number;
  /** How often each wrapped function ran inside replayed calls, by key. */
  readonly ran: Map<string, number>;
  /** How many model calls of each key ran although the recording should answer them. */
  readonly unwrapped: Map<string, number>;
}

/** The new outcome of a call. */
export type LiveOutcome =
  | { readonly result: unknown; readonly stream?: ReadStream }
  /** The thrown object, or why the call could not run. `stream`: the items before its failure. */
  | { readonly error: unknown; readonly stream?: ReadStream };

/** The result of one replayed call. */
export interface CallReplay {
  readonly outcome: LiveOutcome;
  /** Whether an inner call was answered from the recording, so that the duration is unknown. */
  readonly isMocked: boolean;
  /** Whether the function was called; otherwise the outcome says why not. */
  readonly wasCalled: boolean;
  readonly definition: SpanDefinition | undefined;
  /**
   * The sent records of the call and its inner calls; empty unless evaluators may read them. `undefined` if the
   * tracer records nothing.
   */
  readonly lines: readonly ByteString[] | undefined;
  readonly modelCalls: CountedCalls;
  /** Whether a model call ran, or may have run, inside. */
  readonly ranModel: boolean;
}

/**
 * Replays one item, and writes its facts into `item`. Never rejects.
 *
 * Recordings from before the upgrade do not show the order of calls that ended in one millisecond. If the result depends on it
 * and all inner calls were answered, the call is replayed with both orders, and the smaller difference counts.
 */
export async function replayCall(
  context: ReplayContext,
  planned: PlannedItem,
  item: ReplayItem,
): Promise<CallReplay> {
  const first = await attempt(context, planned, { ...item }, 'recorded');
  const isOtherDue = first.calls?.mayComeOtherwise === true && first.item.divergences.length > 0;
  const other = isOtherDue ? await attempt(context, planned, { ...item }, 'made') : first;
  const best = other.item.divergences.length < first.item.divergences.length ? other : first;
  for (const counts of ['ran', 'unwrapped'] as const)
    for (const [key, count] of best.calls?.[counts] ?? [])
      context[counts].set(key, (context[counts].get(key) ?? 0) + count);
  Object.assign(item, best.item);
  await context.costs.addTo(item, best.replayed.modelCalls);
  return best.replayed;
}

interface Attempt {
  readonly item: ReplayItem;
  readonly replayed: CallReplay;
  readonly calls: InnerCalls | undefined;
}

async function attempt(
  context: ReplayContext,
  planned: PlannedItem,
  item: ReplayItem,
  tieBreak: TieBreak,
): Promise<Attempt> {
  const { key, fn, options, testRunId, nowMs, codecs, hooks, isRecorded } = context;
  const { call, stored, decodeInput, traceId } = planned;
  let outcome: LiveOutcome;
  let scope: ReplayScope | undefined;
  let calls: InnerCalls | undefined;
  let startedMs: number | undefined;
  let modelCalls: CountedCalls = {};
  let stream: ReadStream | undefined;
  try {
    if (decodeInput === undefined)
      throw traceId === undefined ? new SourceDeletedError() : new CallNotFoundError(traceId, key);
    item.input = decodeInput(codecs).args;
    const isWhole = stored?.meta?.replayable !== false;
    const isMadeLater =
      hooks.adapt !== undefined || (stored?.meta?.rebuildable === true && hooks.rebuild !== undefined);
    if (stored !== undefined && !isWhole && !isMadeLater) throw notReplayable(stored);
    const source = hooks.needsSource ? await planned.origin() : undefined;
    calls = await innerCalls(context, planned, item, tieBreak);
    const notes = stored === undefined ? [] : notesOn(fn, stored);
    if (options.clock === 'recorded' && !calls.startRecordedClock())
      notes.push('it uses the real clock, because its start time is not recorded');
    if (notes.length > 0) item.notes = [...(item.notes ?? []), ...notes];
    scope = { testRunId, key: readTracedKey(fn) ?? key, sourceSpanId: call?.span_id, calls };
    startedMs = nowMs();
    const { args: recorded, instances } = decodeInput(codecs);
    const result = runIn(scope, () =>
      around(hooks, source, async () => {
        const args = await makeArguments(hooks, source, stored, recorded, instances, item);
        const result: unknown = Reflect.apply(fn, await hooks.self?.(args, source), args);
        return drain(result, (opened) => (stream = opened));
      }),
    );
    const drained = await withTimeout(
      options.timeoutMs,
      result,
      () => new ReplayTimeoutError(key, options.timeoutMs),
    );
    outcome = drained;
    item.result = drained.result;
  } catch (error) {
    // After a timeout it may continue to yield.
    outcome = { error, ...(stream && { stream: { ...stream, items: [...stream.items] } }) };
    item.error = error;
  }
  if (startedMs !== undefined) item.durationMs = nowMs() - startedMs;
  const { traceId: newTraceId, spanId, definition } = scope?.started ?? {};
  if (newTraceId !== undefined) item.traceId = newTraceId;
  if (spanId !== undefined) item.spanId = spanId;
  if (calls !== undefined) {
    calls.close();
    if (calls.denied.size > 0) item.deniedConnections = [...calls.denied];
    noteDivergences(item, calls.divergences() ?? [], hooks.leftOutKeys);
    const normalized = calls.normalizedCalls();
    if (normalized.length > 0) item.normalized = normalized;
    modelCalls = isRecorded ? calls.modelCalls() : {};
    const [usage, originalUsage] = [modelCalls.now, modelCalls.original].map((use) =>
      sumUsage(use?.reported ?? []),
    );
    if (usage !== undefined) item.usage = usage;
    if (originalUsage !== undefined) item.originalUsage = originalUsage;
  }
  const lines = isRecorded ? (calls?.lines ?? []) : undefined;
  const wasCalled = startedMs !== undefined;
  const isMocked = calls?.isMocked ?? false;
  // Without recording, model calls are not observed.
  const ranModel = !isRecorded || (calls?.ranModel ?? true);
  const replayed = { outcome, isMocked, wasCalled, definition, lines, modelCalls, ranModel };
  return { item, replayed, calls };
}

/** Calls that the integration skipped are noted, and are not divergences. */
function noteDivergences(
  item: ReplayItem,
  divergences: readonly ReplayDivergence[],
  leftOutKeys: ReadonlySet<string> = new Set(),
): void {
  const leftOut = new Map<string, number>();
  item.divergences = divergences.filter(({ kind, path }) => {
    const key = path.at(-1);
    if (kind !== 'missing' || key === undefined || !leftOutKeys.has(key)) return true;
    leftOut.set(key, (leftOut.get(key) ?? 0) + 1);
    return false;
  });
  if (leftOut.size === 0) return;
  const calls = Array.from(leftOut, ([key, count]) => `${key} (${count})`).join(', ');
  item.notes = [...(item.notes ?? []), `Recorded calls that the replay context did not start: ${calls}.`];
}

async function innerCalls(
  { key, isBare, options, codecs, nowMs, policy, normalizer, sourceTarget, isLocal }: ReplayContext,
  { call, descendants }: PlannedItem,
  item: ReplayItem,
  tieBreak: TieBreak,
): Promise<InnerCalls> {
  const { mock, network, evaluators } = options;
  const calls = await descendants()?.catch((error: unknown) => {
    if (mock !== 'none') throw error;
    item.notes = [
      `its inner calls were not compared: ${error instanceof Error ? error.message : String(error)}`,
    ];
    return undefined;
  });
  return new InnerCalls(call, calls, {
    policy,
    normalizer,
    codecs,
    bareKey: isBare ? key : undefined,
    nowMs,
    network,
    serviceTarget: sourceTarget,
    keepsLines: evaluators !== undefined,
    isLocal,
    tieBreak,
  });
}

/** Notes on arguments: masked values and new parameters. */
function notesOn(fn: Replayable, { input = [], meta }: StoredInput): string[] {
  const notes = (meta?.input?.redacted ?? []).map(
    (pointer) => `${describeArgument(pointer)} was masked in the recording: the function receives the token`,
  );
  if (fn.length > input.length)
    notes.push(
      `the function has ${fn.length} parameters, but the call was recorded with ${input.length}: the others are undefined`,
    );
  return notes;
}

/** Runs in a separate trace, wherever the replay is called. */
function runIn<T>(scope: ReplayScope, run: () => Promise<T>): Promise<T> {
  const frame = { trace: undefined, parentId: undefined, span: undefined, replay: scope };
  return contextStorage.run(frame, run);
}

/** Lets the hooks adapt the recorded arguments. @throws CallNotReplayableError if parts are still missing */
async function makeArguments(
  { adapt, rebuild }: ReplayHooks,
  source: ReplaySource | undefined,
  stored: StoredInput | undefined,
  recorded: unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
  item: ReplayItem,
): Promise<readonly unknown[]> {
  let args: readonly unknown[] = recorded;
  if (adapt !== undefined && source !== undefined) {
    args = await adapt([...recorded], source);
    if (stored?.meta?.replayable === false && isStillMissing(stored.meta, recorded, instances, args))
      throw notReplayable(stored);
  }
  if (rebuild === undefined) return args;
  return rebuild(args, instances, (text) => (item.notes ??= []).push(text));
}

/** @throws InvalidOptionError when the hook does not make the call */
async function around<T>(
  hooks: ReplayHooks,
  source: ReplaySource | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (hooks.around === undefined || source === undefined) return run();
  let outcome: Promise<T> | undefined;
  await hooks.around(() => (outcome ??= run()), source);
  if (outcome === undefined)
    throw new InvalidOptionError(
      'replay.around',
      'did not make the call',
      'Write it like (call, source) => context.run(source, call).',
    );
  return outcome;
}

function notReplayable({ id, meta }: StoredInput): CallNotReplayableError {
  return new CallNotReplayableError(id, whyNotReplayable(meta));
}
