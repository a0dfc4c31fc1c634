import type { CallTraceFilter, Position, Range, SpanStore } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import type { CallConditions } from './call-filter.js';
import { pick, toTraceFilter } from './to-trace-filter.js';

/**
 * A place among candidates: a trace, and how many of its calls are behind. Named traces are identified by their place among the
 * names, others by their first call and id.
 */
export type CallPosition =
  readonly [trace: number, calls: number] | readonly [at: string, id: string, calls: number];

/** Traces that are looked at in one go. */
export interface TraceChunk {
  traceIds: string[];
  /** The position in trace number `index`, after so many of its calls. */
  toPosition: (index: number, calls: number) => CallPosition;
}

interface CallTrace {
  trace_id: string;
  started_at: string;
}

/** Conditions of every listing: see `filter` and `listedFilter`. */
const LISTED_ANYWAY = new Set(['traceFunctionKey', 'session_id', 'since', 'until', 'status']);

/** Of a trace that is behind. */
const ALL_CALLS = Number.MAX_SAFE_INTEGER;

/** Traces whose calls may fulfil conditions: those that are named, or that the store lists for these conditions. */
export class CandidateTraces {
  /** Where a listing that counts nothing ended early, as so much was looked through. */
  lookedUntil: CallPosition | undefined;
  /** The conditions of lists of traces besides the key, the time and the session. */
  readonly narrowing: TraceFilter | undefined;
  private isEnough = false;
  private isPaused = false;

  /** @param isCounting whether traces without a call of the status are meant, too, so that skipped traces can be counted */
  constructor(
    private readonly store: SpanStore,
    private readonly accountId: string,
    private readonly conditions: CallConditions,
    private readonly isCounting: boolean,
  ) {
    const filter = Object.entries(toTraceFilter(conditions)).filter(([name]) => !LISTED_ANYWAY.has(name));
    this.narrowing = filter.length === 0 ? undefined : Object.fromEntries(filter);
  }

  /** Which traces the store lists for these conditions. */
  get filter(): CallTraceFilter {
    const { trace_function_key: traceFunctionKey } = this.conditions;
    return { traceFunctionKey, ...pick(this.conditions, ['since', 'until', 'session_id']) };
  }

  chunks(tracesAtOnce: number, from?: CallPosition): AsyncIterable<TraceChunk> | Iterable<TraceChunk> {
    const { trace_ids: named } = this.conditions;
    return named === undefined ? this.listed(tracesAtOnce, from) : chunkNamed(named, tracesAtOnce, from);
  }

  /** Lists no more. */
  stop(): void {
    this.isEnough = true;
  }

  /** Has a listing that counts nothing end early, too: much was looked through. */
  pause(): void {
    this.isPaused = true;
  }

  private async *listed(tracesAtOnce: number, from: CallPosition | undefined): AsyncGenerator<TraceChunk> {
    let [at, id] = from?.length === 3 ? from : [];
    // The trace itself again, where more of its calls may be meant.
    if (at !== undefined && id !== undefined && this.conditions.every_call) {
      yield toChunk([{ trace_id: id, started_at: at }]);
    }
    for (;;) {
      const range = {
        limit: tracesAtOnce,
        ...(at !== undefined && id !== undefined && { after: [at, id] as const }),
      };
      const { traces, next, isCut } = await this.list(range);
      if (traces.length > 0) yield toChunk(traces);
      if (this.isEnough || next === undefined) return;
      [at, id] = next;
      if ((isCut === true || this.isPaused) && !this.isCounting) {
        this.lookedUntil = [at, id, ALL_CALLS];
        return;
      }
    }
  }

  /** The next traces whose calls may be meant, and where to go on, where there may be more. */
  private async list(range: Range): Promise<{ traces: CallTrace[]; next?: Position; isCut?: boolean }> {
    if (this.narrowing === undefined) {
      const traces = await this.store.listCallTraces(this.accountId, this.listedFilter, range);
      const last = traces.length < range.limit ? undefined : traces.at(-1);
      return { traces, ...(last && { next: [last.started_at, last.trace_id] }) };
    }
    // Of calls whose texts are not looked through yet the payloads are read: a selection is whole.
    const filter = { ...this.narrowing, ...this.filter, withRecording: true, withUnindexed: true } as const;
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

  /** By its status a trace is found where nothing is counted of the others. */
  private get listedFilter(): CallTraceFilter {
    const { status } = this.conditions;
    return this.isCounting || status === undefined || status === 'ok'
      ? this.filter
      : { ...this.filter, status };
  }
}

function toChunk(traces: CallTrace[]): TraceChunk {
  return {
    traceIds: traces.map(({ trace_id }) => trace_id),
    toPosition: (index, calls) => {
      const { started_at = '', trace_id = '' } = traces[index] ?? {};
      return [started_at, trace_id, calls];
    },
  };
}

function* chunkNamed(
  named: readonly string[],
  tracesAtOnce: number,
  from: CallPosition | undefined,
): Generator<TraceChunk> {
  const unique = [...new Set(named)];
  const start = from?.length === 2 ? from[0] : 0;
  for (let first = start; first < unique.length; first += tracesAtOnce) {
    yield {
      traceIds: unique.slice(first, first + tracesAtOnce),
      toPosition: (index, calls) => [first + index, calls],
    };
  }
}
