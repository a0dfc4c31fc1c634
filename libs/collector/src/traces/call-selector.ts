import { LIMITS, type SkipReason } from '@dacapo/protocol';
import type { CallTraceFilter, SpanNode, SpanStore } from '../storage/ports/span-store.js';
import { hasText, parseTextQuery, toSearchedSpan } from '../storage/rules/text-query.js';
import { type CallConditions, CallFilter } from './call-filter.js';
import { callsByTrace } from './calls-by-trace.js';
import { type CallPosition, CandidateTraces, type TraceChunk } from './candidate-traces.js';

/** A call that matches the conditions. Without `call`, a trace that was selected by its id and has no call of the key. */
export interface Candidate {
  traceId: string;
  call?: SpanNode;
  /** Where {@link CallSelector.candidates} continues after it. */
  position: CallPosition;
}

/** Payload bytes that are searched for a text at once. */
const SEARCHED_BYTES = 4 * 1024 * 1024;

/** Without counting, a search ends its page after so many payloads, because calls that are not indexed yet are all read. */
const SEARCHED_AT_ONCE = 100;

/** Finds the calls of a key that match conditions, and counts the others by reason. */
export class CallSelector {
  /** Number of skipped calls, by reason. */
  readonly skipped: Partial<Record<SkipReason, number>> = {};
  /** Number of checked traces with calls of the key. */
  tracesSeen = 0;
  private scanned = 0;
  private readonly traces: CandidateTraces;
  private readonly callFilter: CallFilter;

  /** @param isCounting whether to count all skipped calls, which includes traces without a call of the status */
  constructor(
    private readonly store: SpanStore,
    private readonly accountId: string,
    private readonly conditions: CallConditions,
    isCounting: boolean,
  ) {
    this.traces = new CandidateTraces(store, accountId, conditions, isCounting);
    this.callFilter = new CallFilter(store, accountId, conditions, this.traces.narrowing);
  }

  /** Whether the store leaves out traces that do not match. */
  get isNarrowed(): boolean {
    return this.traces.narrowing !== undefined && this.conditions.trace_ids === undefined;
  }

  /** The store's filter for these conditions. */
  get traceFilter(): CallTraceFilter {
    return this.traces.filter;
  }

  /** Where a search without counting ended its page early. */
  get lookedUntil(): CallPosition | undefined {
    return this.traces.lookedUntil;
  }

  /** @param tracesAtOnce number of traces that are checked together */
  async *candidates(tracesAtOnce: number, from?: CallPosition): AsyncGenerator<Candidate> {
    const { trace_ids: named } = this.conditions;
    const isFirstAgain = named !== undefined || this.conditions.every_call;
    let behind = from !== undefined && isFirstAgain ? Number(from.at(-1)) : 0;
    for await (const chunk of this.traces.chunks(tracesAtOnce, from)) {
      yield* this.readCandidates(chunk, behind);
      behind = 0;
    }
  }

  skip(reason: SkipReason, count = 1): void {
    if (count > 0) this.skipped[reason] = (this.skipped[reason] ?? 0) + count;
  }

  /** Ends the search after the current traces. */
  stop(): void {
    this.traces.stop();
  }

  private async *readCandidates(
    { traceIds, toPosition }: TraceChunk,
    behind: number,
  ): AsyncGenerator<Candidate> {
    const { trace_function_key: key, trace_ids: named, every_call: everyCall = false } = this.conditions;
    const [nodes, { hasClass, matchesTrace, matchesCall }] = await Promise.all([
      this.store.listNodes(this.accountId, traceIds, key),
      this.callFilter.read(traceIds),
    ]);
    const byTrace = callsByTrace(nodes, key, hasClass);
    const found: Candidate[] = [];
    for (const [index, traceId] of traceIds.entries()) {
      const calls = byTrace.get(traceId);
      if (calls === undefined) {
        if (named !== undefined) found.push({ traceId, position: toPosition(index + 1, 0) });
        continue;
      }
      this.tracesSeen++;
      this.skip('other_class', calls.others);
      if (calls.outermost === undefined) continue;
      const taken = everyCall ? calls.all : [calls.outermost];
      const inner = everyCall ? 0 : calls.inner;
      this.skip('inside_another_call', inner);
      this.skip('not_first', calls.all.length - taken.length - inner);
      const isMatch = matchesTrace(traceId, calls.all);
      for (const [place, call] of taken.entries()) {
        const reason =
          this.callFilter.reasonAgainst(call) ?? (isMatch && matchesCall(call) ? undefined : 'not_matching');
        if (reason !== undefined) this.skip(reason);
        else if (index > 0 || place >= behind) {
          found.push({ traceId, call, position: toPosition(index, place + 1) });
        }
      }
    }
    yield* this.withText(found);
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
      if (this.scanned >= SEARCHED_AT_ONCE) this.traces.pause();
      const spans = await this.store.readSpans(this.accountId, [...scanned]);
      const matching = new Set(
        spans
          .filter((span) => hasText(toSearchedSpan(span), query))
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
