import { LIMITS, type SkipReason } from '@dacapo/protocol';
import type { CallTraceFilter, SpanNode, SpanStore } from '../storage/ports/span-store.js';
import { hasText, parseTextQuery, searchedSpanOf } from '../storage/rules/text-query.js';
import { type CallConditions, CallFilter } from './call-filter.js';
import { callsByTrace } from './calls-by-trace.js';
import { type CallPosition, CandidateTraces, type TraceChunk } from './candidate-traces.js';

/** A call that fulfils the conditions; without one, a trace that was named and holds no call of the key. */
export interface Candidate {
  traceId: string;
  call?: SpanNode;
  /** From where {@link CallSelector.candidates} goes on after it. */
  position: CallPosition;
}

/** Payload bytes that are searched for a text in one go. */
const SEARCHED_BYTES = 4 * 1024 * 1024;

/** One that counts nothing ends early after so many payloads: all of those that wait for the index of texts are read. */
const SEARCHED_AT_ONCE = 100;

/** Finds the calls of a key that fulfil conditions, and counts those that do not. */
export class CallSelector {
  /** Skipped calls. */
  readonly skipped: Partial<Record<SkipReason, number>> = {};
  /** Traces with calls of the key that were looked at. */
  tracesSeen = 0;
  private scanned = 0;
  private readonly traces: CandidateTraces;
  private readonly callFilter: CallFilter;

  /** @param isCounting whether all skipped calls are counted, so that traces without a call of the status are looked at, too */
  constructor(
    private readonly store: SpanStore,
    private readonly accountId: string,
    private readonly conditions: CallConditions,
    isCounting: boolean,
  ) {
    this.traces = new CandidateTraces(store, accountId, conditions, isCounting);
    this.callFilter = new CallFilter(store, accountId, conditions, this.traces.narrowing);
  }

  /** Whether traces that do not fulfil the conditions are not even looked at. */
  get isNarrowed(): boolean {
    return this.traces.narrowing !== undefined && this.conditions.trace_ids === undefined;
  }

  /** Which traces the store lists for these conditions. */
  get traceFilter(): CallTraceFilter {
    return this.traces.filter;
  }

  /** Where one that counts nothing ended early, as so much was looked through. */
  get lookedUntil(): CallPosition | undefined {
    return this.traces.lookedUntil;
  }

  /** @param tracesAtOnce traces that are looked at in one go */
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

  /** Looks at no further traces; those that it looks at now it finishes. */
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
