import type { CallTraceFilter, Position, Range, SpanStore } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import type { CallConditions } from './call-filter.js';
import { pick, toTraceFilter } from './to-trace-filter.js';

/**
 * A position among candidates: a trace, and the number of its calls before the position. Traces selected by id are identified by their
 * index in the list of ids, others by the start of their first call and their id.
 */
export type CallPosition =
  readonly [trace: number, calls: number] | readonly [at: string, id: string, calls: number];

/** Traces that are checked together. */
export interface TraceChunk {
  traceIds: string[];
  /** The position after `calls` calls of the trace at `index`. */
  toPosition: (index: number, calls: number) => CallPosition;
}

interface CallTrace {
  trace_id: string;
  started_at: string;
}

/** Conditions that every listing applies: see `filter` and `listedFilter`. Traces selected by id are not listed. */
const LISTED_ANYWAY = new Set(['traceFunctionKey', 'session_id', 'since', 'until', 'status', 'traceIds']);

/** For a trace that is completely before the position. */
const ALL_CALLS = Number.MAX_SAFE_INTEGER;

/** Traces whose calls may match: the traces selected by id, or those that the store lists for the conditions. */
export class CandidateTraces {
  /** Where a listing without counting ended early. */
  lookedUntil: CallPosition | undefined;
  /** The conditions on traces except key, time and session; `undefined` if there are none. */
  readonly narrowing: TraceFilter | undefined;
  private isEnough = false;
  private isPaused = false;

  /** @param isCounting whether to include traces without a call of the status, so that skipped calls can be counted */
  constructor(
    private readonly store: SpanStore,
    private readonly accountId: string,
    private readonly conditions: CallConditions,
    private readonly isCounting: boolean,
  ) {
    const filter = Object.entries(toTraceFilter(conditions)).filter(([name]) => !LISTED_ANYWAY.has(name));
    this.narrowing = filter.length === 0 ? undefined : Object.fromEntries(filter);
  }

  /** The store's filter for these conditions. */
  get filter(): CallTraceFilter {
    const { trace_function_key: traceFunctionKey } = this.conditions;
    return { traceFunctionKey, ...pick(this.conditions, ['since', 'until', 'session_id']) };
  }

  chunks(tracesAtOnce: number, from?: CallPosition): AsyncIterable<TraceChunk> | Iterable<TraceChunk> {
    const { trace_ids: named } = this.conditions;
    return named === undefined ? this.listed(tracesAtOnce, from) : chunkNamed(named, tracesAtOnce, from);
  }

  /** Ends the listing after the current traces. */
  stop(): void {
    this.isEnough = true;
  }

  /** Ends the page of a listing without counting, because much has been searched. */
  pause(): void {
    this.isPaused = true;
  }

  private async *listed(tracesAtOnce: number, from: CallPosition | undefined): AsyncGenerator<TraceChunk> {
    let [at, id] = from?.length === 3 ? from : [];
    // The trace of the position again, because more of its calls may match.
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

  /** The next traces whose calls may match, and the next position if there may be more. */
  private async list(range: Range): Promise<{ traces: CallTrace[]; next?: Position; isCut?: boolean }> {
    if (this.narrowing === undefined) {
      const traces = await this.store.listCallTraces(this.accountId, this.listedFilter, range);
      const last = traces.length < range.limit ? undefined : traces.at(-1);
      return { traces, ...(last && { next: [last.started_at, last.trace_id] }) };
    }
    // Includes calls that are not in the index of texts yet, so that a selection is complete.
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

  /** Filters by status only if other traces need not be counted. */
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
