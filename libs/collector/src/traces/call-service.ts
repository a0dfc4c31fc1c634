import type {
  Page,
  RecordedCall,
  RecordedDescendant,
  SearchCallsRequest,
  SpanRecord,
  TraceRecord,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { decodeCursor, type PageRequest, positionOf, takePage } from '../cursor.js';
import { InvalidCursorError } from '../errors.js';
import { type SpanNode, type SpanRef, SpanStore } from '../storage/span-store.js';
import { outermostCalls } from './outermost-calls.js';

export type CallSearch = SearchCallsRequest & { limit: number };

/** A call, and the cursor of the page that begins after it. */
interface Found {
  call: SpanNode;
  key: (string | number)[];
}

/** Reads calls for replays: those of a key, and what was called inside them. */
@Injectable()
export class CallService {
  constructor(private readonly store: SpanStore) {}

  /**
   * Of each trace the outermost span of the key. Without `trace_ids`, unfinished calls and those of a test run are left
   * out. A page of great payloads ends early.
   *
   * @throws InvalidCursorError
   */
  async search(accountId: string, search: CallSearch): Promise<Page<RecordedCall>> {
    const found =
      search.trace_ids === undefined
        ? await this.findRecordings(accountId, search)
        : await this.findNamed(accountId, search, search.trace_ids);
    const { kept, ...next } = takePage(
      found,
      search.limit,
      ({ key }) => key,
      ({ call }) => call.payload_bytes,
    );
    return {
      items: await this.readCalls(
        accountId,
        kept.map(({ call }) => call),
      ),
      ...next,
    };
  }

  /**
   * The calls below a span, at any depth, in the order in which they started. A page of great payloads ends early.
   *
   * @throws NotFoundException when there is no such span
   * @throws InvalidCursorError
   */
  async listDescendants(
    accountId: string,
    traceId: string,
    spanId: string,
    page: PageRequest,
  ): Promise<Page<RecordedDescendant>> {
    const { after } = positionOf(page, 'text');
    const nodes = await this.store.listNodes(accountId, [traceId]);
    if (!nodes.some((node) => node.span_id === spanId)) {
      throw new NotFoundException(`Span ${spanId} of trace ${traceId} not found`);
    }
    const below = nodesBelow(nodes, spanId);
    const start = after === undefined ? 0 : below.findIndex(({ span_id }) => span_id === after[0]) + 1;
    if (after !== undefined && start === 0) throw new InvalidCursorError();
    const { kept, ...next } = takePage(
      below.slice(start),
      page.limit,
      ({ span_id }) => [span_id],
      ({ payload_bytes }) => payload_bytes,
    );
    const calls = await this.readCalls(accountId, kept);
    const byId = new Map(kept.map((node) => [node.span_id, node]));
    return {
      items: calls.map((call) => ({
        ...call,
        parent_id: byId.get(call.span_id)?.parent_id ?? '',
        trace_function_key: byId.get(call.span_id)?.trace_function_key ?? '',
      })),
      ...next,
    };
  }

  /** Calls of named traces, whatever their status: who names a trace wants that one. */
  private async findNamed(accountId: string, search: CallSearch, traceIds: string[]): Promise<Found[]> {
    const [start] = search.cursor === undefined ? [0] : decodeCursor(search.cursor, 'number');
    if (start < 0) throw new InvalidCursorError();
    const unique = [...new Set(traceIds)];
    const found: Found[] = [];
    for (let from = start; from < unique.length && found.length <= search.limit; from += search.limit) {
      const some = unique.slice(from, from + search.limit);
      const calls = await this.findOutermost(accountId, search.trace_function_key, some);
      for (const [index, traceId] of some.entries()) {
        const call = calls.get(traceId);
        if (call !== undefined) found.push({ call, key: [from + index + 1] });
      }
    }
    return found;
  }

  private async findRecordings(accountId: string, search: CallSearch): Promise<Found[]> {
    const found: Found[] = [];
    let { after } = positionOf(search, 'time', 'text');
    for (;;) {
      const limit = search.limit + 1;
      const range = { limit, ...(after !== undefined && { after }) };
      const traces = await this.store.listCallTraces(accountId, search.trace_function_key, range);
      const ids = traces.map(({ trace_id }) => trace_id);
      const calls = await this.findOutermost(accountId, search.trace_function_key, ids);
      for (const { started_at, trace_id } of traces) {
        const call = calls.get(trace_id);
        const isRecording = call !== undefined && call.status !== 'unfinished' && call.test_run_id === null;
        if (isRecording) found.push({ call, key: [started_at, trace_id] });
      }
      const last = traces.at(-1);
      if (!last || traces.length < limit || found.length > search.limit) return found;
      after = [last.started_at, last.trace_id];
    }
  }

  private async findOutermost(
    accountId: string,
    traceFunctionKey: string,
    traceIds: string[],
  ): Promise<Map<string, SpanNode>> {
    const nodes = await this.store.listNodes(accountId, traceIds, traceFunctionKey);
    return outermostCalls(nodes, traceFunctionKey);
  }

  /** In this order. A call whose payload cannot be read yet is left out. */
  private async readCalls(accountId: string, refs: readonly SpanRef[]): Promise<RecordedCall[]> {
    if (refs.length === 0) return [];
    const [spans, traces] = await Promise.all([
      this.store.readSpans(accountId, refs),
      this.store.readTraces(accountId, [...new Set(refs.map(({ trace_id }) => trace_id))]),
    ]);
    const byRef = new Map(spans.map((span) => [`${span.trace_id}/${span.id}`, span]));
    const byId = new Map(traces.map((trace) => [trace.id, trace]));
    return refs.flatMap(({ trace_id, span_id }) => {
      const span = byRef.get(`${trace_id}/${span_id}`);
      return span === undefined ? [] : [toRecordedCall(span, byId.get(trace_id))];
    });
  }
}

/** Each span once, and not the first one again: a hostile trace may make its parents a circle. */
function nodesBelow(nodes: readonly SpanNode[], spanId: string): SpanNode[] {
  const children = new Map<string | null, SpanNode[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parent_id);
    if (siblings === undefined) children.set(node.parent_id, [node]);
    else siblings.push(node);
  }
  const below = new Set<SpanNode>();
  const parents = [spanId];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const child of children.get(parent) ?? []) {
      if (child.span_id === spanId || below.has(child)) continue;
      below.add(child);
      parents.push(child.span_id);
    }
  }
  return nodes.filter((node) => below.has(node));
}

function toRecordedCall(span: SpanRecord, trace: TraceRecord | undefined): RecordedCall {
  const { input, output, error, meta } = span.span_data;
  return {
    trace_id: span.trace_id,
    span_id: span.id,
    name: span.name,
    type: span.type,
    status: span.status,
    started_at: span.started_at,
    ...(span.duration_ms !== undefined && { duration_ms: span.duration_ms }),
    ...(trace?.session_id !== undefined && { session_id: trace.session_id }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(meta !== undefined && { meta }),
  };
}
