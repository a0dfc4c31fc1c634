import { type CallSelection, equal, type JsonObject, readValue, type SkipReason } from '@dacapo/protocol';
import type { SpanNode, SpanStore, TracePosition } from '../storage/ports/span-store.js';
import { hasMetadata, SPAN_FIELDS, type TraceFilter } from '../storage/ports/trace-filter.js';
import { metadataFilters, pick } from './to-trace-filter.js';

/** The conditions that each call is checked against. The number of calls is up to the caller. */
export type CallConditions = Omit<CallSelection, 'limit' | 'sample'> & { trace_function_key: string };

/** The checks for calls of some traces. All data that they need has been read. */
export interface CallPredicates {
  /** Whether a call of the key was recorded on a selected class. */
  hasClass: (node: SpanNode) => boolean;
  /** Whether a trace matches the conditions on traces. */
  matchesTrace: (traceId: string, calls: readonly SpanNode[]) => boolean;
  /** Whether a call matches the conditions on its fields. */
  matchesCall: (node: SpanNode) => boolean;
}

/** Reads the data that the conditions need, and makes checks from it. The text condition is left to {@link CallSelector}. */
export class CallFilter {
  /** @param narrowing the same conditions as a filter on traces */
  constructor(
    private readonly store: SpanStore,
    private readonly accountId: string,
    private readonly conditions: CallConditions,
    private readonly narrowing: TraceFilter | undefined,
  ) {}

  async read(traceIds: string[]): Promise<CallPredicates> {
    const [hasClass, matchesTrace, matchesCall] = await Promise.all([
      this.classCondition(traceIds),
      this.traceCondition(traceIds),
      this.callCondition(traceIds),
    ]);
    return { hasClass, matchesTrace, matchesCall };
  }

  /** The reason to skip a call because of its own state; `undefined` if there is none. */
  reasonAgainst({ status, test_run_id }: SpanNode): SkipReason | undefined {
    const { trace_ids: named, status: wanted } = this.conditions;
    // A trace that is selected by its id counts whatever its status.
    if (named === undefined && test_run_id !== null) return 'replay';
    if (named === undefined && status === 'unfinished' && wanted !== 'unfinished') return 'unfinished';
    return wanted !== undefined && status !== wanted ? 'not_matching' : undefined;
  }

  private async classCondition(traceIds: string[]): Promise<(node: SpanNode) => boolean> {
    const { trace_function_key: key, classes, except_classes: excepted = [] } = this.conditions;
    if (classes === undefined && excepted.length === 0) return () => true;
    const classed = await this.store.listClassedCalls(this.accountId, traceIds, key);
    const classNames = new Map(classed.map((call) => [`${call.trace_id}/${call.span_id}`, call.class_name]));
    return ({ trace_id, span_id }) => {
      const name = classNames.get(`${trace_id}/${span_id}`);
      if (name === undefined) return classes === undefined;
      return (classes === undefined || classes.includes(name)) && !excepted.includes(name);
    };
  }

  private async callCondition(traceIds: string[]): Promise<(node: SpanNode) => boolean> {
    const { trace_function_key: key } = this.conditions;
    const fields = pick(this.conditions, SPAN_FIELDS);
    if (Object.keys(fields).length === 0) return () => true;
    const matching = await this.store.matchCalls(this.accountId, traceIds, key, fields);
    const refs = new Set(matching.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`));
    return ({ trace_id, span_id }) => refs.has(`${trace_id}/${span_id}`);
  }

  /** The store has already checked times and sessions of listed traces. */
  private async traceCondition(
    traceIds: string[],
  ): Promise<(traceId: string, calls: readonly SpanNode[]) => boolean> {
    const { trace_ids: named, since, until, session_id: sessionId, metadata } = this.conditions;
    const filtersBySession = named !== undefined && sessionId !== undefined;
    if (metadata === undefined && named === undefined) return () => true;
    const [traces, fulfilling] = await Promise.all([
      metadata === undefined && !filtersBySession ? [] : this.store.readTraces(this.accountId, traceIds),
      this.fulfilling(traceIds),
    ]);
    const byId = new Map(traces.map((trace) => [trace.id, trace]));
    return (traceId, calls) => {
      const startedAt = calls[0]?.started_at ?? '';
      const trace = byId.get(traceId);
      return (
        (named === undefined || since === undefined || startedAt >= since) &&
        (named === undefined || until === undefined || startedAt < until) &&
        fulfilling?.has(traceId) !== false &&
        (!filtersBySession || trace?.session_id === sessionId) &&
        (metadata === undefined || hasAll(trace?.metadata ?? {}, metadata))
      );
    };
  }

  /** The selected ids that match the filter on traces; `undefined` if the store has already filtered them. */
  private async fulfilling(traceIds: string[]): Promise<ReadonlySet<string> | undefined> {
    const { trace_ids: named, trace_function_key: traceFunctionKey } = this.conditions;
    const ofTrace = { ...this.narrowing };
    delete ofTrace.span;
    delete ofTrace.metadata;
    if (named === undefined || Object.keys(ofTrace).length === 0) return undefined;
    const filter = { ...ofTrace, traceFunctionKey, traceIds };
    const found = new Set<string>();
    let after: TracePosition | undefined;
    do {
      const range = { limit: traceIds.length, ...(after && { after }) };
      const { traces, lookedUntil } = await this.store.listTraces(this.accountId, filter, range);
      for (const { trace } of traces) found.add(trace.id);
      after = lookedUntil;
    } while (after !== undefined);
    return found;
  }
}

/** Whether the metadata has all entries: an equal value under the key, or the same scalar at the path that the key spells. */
function hasAll(metadata: JsonObject, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const own = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    const isEqual =
      own !== undefined && equal(readValue({ json: own }), readValue({ json: value ?? null })) === 'equal';
    return isEqual || metadataFilters(key, value).some((filter) => hasMetadata(metadata, filter));
  });
}
