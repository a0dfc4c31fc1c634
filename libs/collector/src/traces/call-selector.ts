import { type CallSelection, LIMITS, type SkipReason } from '@dacapo/protocol';
import type { CallTraceFilter, Position, Range, SpanNode, SpanStore } from '../storage/span-store.js';
import { hasText, parseTextQuery, searchedSpanOf } from '../storage/text-query.js';
import type { TraceFilter } from '../storage/trace-filter.js';
import { callsByTrace } from './calls-by-trace.js';
import { hasAll, listedFilterOf } from './selection-filter.js';

/** What is asked of calls one by one; how many are wanted is the caller's matter. */
export type CallConditions = Omit<CallSelection, 'limit' | 'sample'> & { trace_function_key: string };

/** A call that fulfils the conditions; without one, a trace that was named and holds no call of the key. */
export interface Candidate {
  traceId: string;
  call?: SpanNode;
  /** From where {@link CallSelector.candidates} goes on after it. */
  position: CallPosition;
}

/**
 * A place among candidates: a trace, and how many of its calls are behind. Named traces are told by their place among the
 * names, others by their first call and id.
 */
export type CallPosition =
  readonly [trace: number, calls: number] | readonly [at: string, id: string, calls: number];

interface CallTrace {
  trace_id: string;
  started_at: string;
}

interface Chunk {
  traceIds: string[];
  /** The position in trace number `index`, after so many of its calls. */
  positionOf: (index: number, calls: number) => CallPosition;
}

/** Of a trace that is behind. */
const ALL_CALLS = Number.MAX_SAFE_INTEGER;

/** Payload bytes that are searched for a text in one go. */
const SEARCHED_BYTES = 4 * 1024 * 1024;

/** Finds the calls of a key that fulfil conditions, and counts those that do not. */
export class CallSelector {
  /** Calls that were left out. */
  readonly skipped: Partial<Record<SkipReason, number>> = {};
  /** Traces with calls of the key that were looked at. */
  tracesSeen = 0;
  /** Where one that counts nothing ended early, as the store had looked through so much. */
  lookedUntil: CallPosition | undefined;
  private scanned = 0;
  private isEnough = false;
  private readonly narrowing: TraceFilter | undefined;

  /** @param isCounting whether all that is left out is counted, so that traces without a call of the status are looked at, too */
  constructor(
    private readonly store: SpanStore,
    private readonly accountId: string,
    private readonly conditions: CallConditions,
    private readonly isCounting: boolean,
  ) {
    this.narrowing = listedFilterOf(conditions);
  }

  /** Whether traces that do not fulfil the conditions are not even looked at. */
  get isNarrowed(): boolean {
    return this.narrowing !== undefined && this.conditions.trace_ids === undefined;
  }

  /** Which traces the store lists for these conditions. */
  get traceFilter(): CallTraceFilter {
    const { trace_function_key: traceFunctionKey, since, until, session_id: sessionId } = this.conditions;
    return {
      traceFunctionKey,
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(sessionId !== undefined && { sessionId }),
    };
  }

  private get listedFilter(): CallTraceFilter {
    const { status } = this.conditions;
    return this.isCounting || status === undefined || status === 'ok'
      ? this.traceFilter
      : { ...this.traceFilter, status };
  }

  /** @param tracesAtOnce traces that are looked at in one go */
  async *candidates(tracesAtOnce: number, from?: CallPosition): AsyncGenerator<Candidate> {
    const { trace_ids: named } = this.conditions;
    const chunks =
      named === undefined ? this.listedChunks(tracesAtOnce, from) : namedChunks(named, tracesAtOnce, from);
    const isFirstAgain = named !== undefined || this.conditions.every_call;
    let behind = from !== undefined && isFirstAgain ? Number(from.at(-1)) : 0;
    for await (const chunk of chunks) {
      yield* this.candidatesOf(chunk, behind);
      behind = 0;
    }
  }

  skip(reason: SkipReason, count = 1): void {
    if (count > 0) this.skipped[reason] = (this.skipped[reason] ?? 0) + count;
  }

  /** Looks at no further traces; those that it looks at now it finishes. */
  stop(): void {
    this.isEnough = true;
  }

  private async *listedChunks(tracesAtOnce: number, from: CallPosition | undefined): AsyncGenerator<Chunk> {
    let [at, id] = from?.length === 3 ? from : [];
    // The trace itself again, where more of its calls may be meant.
    if (at !== undefined && id !== undefined && this.conditions.every_call) {
      yield chunkOf([{ trace_id: id, started_at: at }]);
    }
    for (;;) {
      const range = {
        limit: tracesAtOnce,
        ...(at !== undefined && id !== undefined && { after: [at, id] as const }),
      };
      const { traces, next, isCut } = await this.listTraces(range);
      if (traces.length > 0) yield chunkOf(traces);
      if (this.isEnough || next === undefined) return;
      [at, id] = next;
      if (isCut === true && !this.isCounting) {
        this.lookedUntil = [at, id, ALL_CALLS];
        return;
      }
    }
  }

  /** The next traces whose calls may be meant, and where to go on, where there may be more. */
  private async listTraces(range: Range): Promise<{ traces: CallTrace[]; next?: Position; isCut?: boolean }> {
    if (this.narrowing === undefined) {
      const traces = await this.store.listCallTraces(this.accountId, this.listedFilter, range);
      const last = traces.length < range.limit ? undefined : traces.at(-1);
      return { traces, ...(last && { next: [last.started_at, last.trace_id] }) };
    }
    const filter = this.narrowedFilter(this.narrowing);
    const list = await this.store.listTraces(this.accountId, filter, range);
    const positions = list.traces.map(({ position: [at, id] }): Position => [String(at), id]);
    const [at, id] = list.lookedUntil ?? [];
    const next: Position | undefined =
      at !== undefined && id !== undefined
        ? [String(at), id]
        : positions.length < range.limit
          ? undefined
          : positions.at(-1);
    return {
      traces: positions.map(([started_at, trace_id]) => ({ trace_id, started_at })),
      ...(next && { next }),
      isCut: list.lookedUntil !== undefined,
    };
  }

  /** Of calls whose texts are not looked through yet the payloads are read: a selection is whole. */
  private narrowedFilter(narrowing: TraceFilter): TraceFilter {
    const { traceFunctionKey, since, until, sessionId } = this.traceFilter;
    return {
      ...narrowing,
      ...{ traceFunctionKey, withRecording: true, withUnindexed: true },
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(sessionId !== undefined && { sessionId }),
    };
  }

  private async *candidatesOf({ traceIds, positionOf }: Chunk, behind: number): AsyncGenerator<Candidate> {
    const { trace_function_key: key, trace_ids: named, every_call: everyCall = false } = this.conditions;
    const nodes = await this.store.listNodes(this.accountId, traceIds, key);
    const byTrace = callsByTrace(nodes, key, await this.classCondition(traceIds));
    const isTraceMeant = await this.traceCondition(traceIds);
    const isCallMeant = await this.callCondition(traceIds);
    const found: Candidate[] = [];
    for (const [index, traceId] of traceIds.entries()) {
      const calls = byTrace.get(traceId);
      if (calls === undefined) {
        if (named !== undefined) found.push({ traceId, position: positionOf(index + 1, 0) });
        continue;
      }
      this.tracesSeen++;
      this.skip('other_class', calls.others);
      if (calls.outermost === undefined) continue;
      const taken = everyCall ? calls.all : [calls.outermost];
      const inner = everyCall ? 0 : calls.inner;
      this.skip('inside_another_call', inner);
      this.skip('not_first', calls.all.length - taken.length - inner);
      const isMeant = isTraceMeant(traceId, calls.all);
      for (const [place, call] of taken.entries()) {
        const reason =
          this.reasonAgainst(call) ?? (isMeant && isCallMeant(call) ? undefined : 'not_matching');
        if (reason !== undefined) this.skip(reason);
        else if (index > 0 || place >= behind) {
          found.push({ traceId, call, position: positionOf(index, place + 1) });
        }
      }
    }
    yield* this.withText(found);
  }

  /** Whether a call of the key was recorded on a class that is meant. */
  private async classCondition(traceIds: string[]): Promise<(node: SpanNode) => boolean> {
    const { trace_function_key: key, classes, except_classes: excepted = [] } = this.conditions;
    if (classes === undefined && excepted.length === 0) return () => true;
    const classed = await this.store.listClassedCalls(this.accountId, traceIds, key);
    const classOf = new Map(classed.map((call) => [`${call.trace_id}/${call.span_id}`, call.class_name]));
    return ({ trace_id, span_id }) => {
      const name = classOf.get(`${trace_id}/${span_id}`);
      if (name === undefined) return classes === undefined;
      return (classes === undefined || classes.includes(name)) && !excepted.includes(name);
    };
  }

  /** Whether a call has the name, the type and the model that are asked for. */
  private async callCondition(traceIds: string[]): Promise<(node: SpanNode) => boolean> {
    const { trace_function_key: key, name, type, model } = this.conditions;
    if ((name ?? type ?? model) === undefined) return () => true;
    const span = {
      ...(name !== undefined && { name }),
      ...(type !== undefined && { type }),
      ...(model !== undefined && { model }),
    };
    const matching = await this.store.matchCalls(this.accountId, traceIds, key, span);
    const refs = new Set(matching.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`));
    return ({ trace_id, span_id }) => refs.has(`${trace_id}/${span_id}`);
  }

  /** Of named traces, those that a list shows: others were listed. */
  private async fulfilling(traceIds: string[]): Promise<ReadonlySet<string> | undefined> {
    const { amounts, score } = this.narrowing ?? {};
    const { trace_ids: named, trace_function_key: traceFunctionKey } = this.conditions;
    if (named === undefined || (amounts ?? score) === undefined) return undefined;
    const filter = { traceFunctionKey, traceIds, ...(amounts && { amounts }), ...(score && { score }) };
    const { traces } = await this.store.listTraces(this.accountId, filter, { limit: traceIds.length });
    return new Set(traces.map(({ trace }) => trace.id));
  }

  private reasonAgainst({ status, test_run_id }: SpanNode): SkipReason | undefined {
    const { trace_ids: named, status: wanted } = this.conditions;
    // Who names a trace wants that one, whatever its status.
    if (named === undefined && test_run_id !== null) return 'replay';
    if (named === undefined && status === 'unfinished' && wanted !== 'unfinished') return 'unfinished';
    return wanted !== undefined && status !== wanted ? 'not_matching' : undefined;
  }

  /** Whether a trace fulfils what is asked of traces. Times and sessions of listed traces were asked of the store. */
  private async traceCondition(
    traceIds: string[],
  ): Promise<(traceId: string, calls: readonly SpanNode[]) => boolean> {
    const { trace_ids: named, since, until, session_id: sessionId, metadata } = this.conditions;
    const isSessionAsked = named !== undefined && sessionId !== undefined;
    if (metadata === undefined && named === undefined) return () => true;
    const traces =
      metadata === undefined && !isSessionAsked ? [] : await this.store.readTraces(this.accountId, traceIds);
    const byId = new Map(traces.map((trace) => [trace.id, trace]));
    const fulfilling = await this.fulfilling(traceIds);
    return (traceId, calls) => {
      const startedAt = calls[0]?.started_at ?? '';
      const trace = byId.get(traceId);
      return (
        (named === undefined || since === undefined || startedAt >= since) &&
        (named === undefined || until === undefined || startedAt < until) &&
        fulfilling?.has(traceId) !== false &&
        (!isSessionAsked || trace?.session_id === sessionId) &&
        (metadata === undefined || hasAll(trace?.metadata ?? {}, metadata))
      );
    };
  }

  private async *withText(candidates: readonly Candidate[]): AsyncGenerator<Candidate> {
    const { text } = this.conditions;
    if (text === undefined) {
      yield* candidates;
      return;
    }
    const query = parseTextQuery(text);
    for (let start = 0; start < candidates.length;) {
      let [end, bytes] = [start, 0];
      while (end < candidates.length && (end === start || bytes < SEARCHED_BYTES)) {
        bytes += candidates[end++]?.call?.payload_bytes ?? 0;
      }
      const batch = candidates.slice(start, end);
      start = end;
      const calls = batch.flatMap(({ call }) => call ?? []);
      const scanned = new Set(calls.slice(0, Math.max(0, LIMITS.scannedCalls - this.scanned)));
      this.scanned += scanned.size;
      const spans = await this.store.readSpans(this.accountId, [...scanned]);
      const matching = new Set(
        spans
          .filter((span) => hasText(searchedSpanOf(span), query))
          .map((span) => `${span.trace_id}/${span.id}`),
      );
      for (const candidate of batch) {
        const { call } = candidate;
        if (!call || matching.has(`${call.trace_id}/${call.span_id}`)) yield candidate;
        else this.skip(scanned.has(call) ? 'not_matching' : 'not_scanned');
      }
    }
  }
}

function chunkOf(traces: CallTrace[]): Chunk {
  return {
    traceIds: traces.map(({ trace_id }) => trace_id),
    positionOf: (index, calls) => {
      const { started_at = '', trace_id = '' } = traces[index] ?? {};
      return [started_at, trace_id, calls];
    },
  };
}

function* namedChunks(
  named: readonly string[],
  tracesAtOnce: number,
  from: CallPosition | undefined,
): Generator<Chunk> {
  const unique = [...new Set(named)];
  const start = from?.length === 2 ? from[0] : 0;
  for (let first = start; first < unique.length; first += tracesAtOnce) {
    yield {
      traceIds: unique.slice(first, first + tracesAtOnce),
      positionOf: (index, calls) => [first + index, calls],
    };
  }
}
