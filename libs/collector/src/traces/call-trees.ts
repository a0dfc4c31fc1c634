import {
  pickLabels,
  type Page,
  type RecordedCall,
  type RecordedCallTree,
  type RecordedDescendant,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { PAGE_BYTES, type PageRequest, readPosition, takePage } from '../cursor.js';
import { InvalidCursorError } from '../errors.js';
import { type SpanNode, type SpanRef, SpanStore } from '../storage/ports/span-store.js';
import { RecentCalls } from './recent-calls.js';

/** Calls whose inner calls are read together at first. Three times as many while traces are small. */
const TREES_AT_ONCE = 20;

/** Up to so many spans, a trace is small. */
const SMALL_TRACE = 10;

/** Inner calls that are returned with a call. The rest is read in pages. */
const DESCENDANTS = 1000;

/** A call with the size of its payload. */
type SizedRef = SpanRef & Pick<SpanNode, 'payload_bytes'>;

/** Reads calls together with their inner calls. */
@Injectable()
export class CallTrees {
  constructor(
    private readonly store: SpanStore,
    private readonly recent: RecentCalls,
  ) {}

  /** Reads the first calls, up to a full page. A call that does not exist is `undefined`. */
  async read(
    accountId: string,
    calls: readonly (SpanRef & Partial<SizedRef>)[],
    { descendants }: { descendants: boolean },
  ): Promise<(RecordedCallTree | undefined)[]> {
    const page: { call: SpanRef; ownBytes: number; inside: SpanNode[]; next_cursor?: string }[] = [];
    let bytes = 0;
    let atOnce = TREES_AT_ONCE;
    for (let start = 0; start < calls.length && bytes <= PAGE_BYTES;) {
      const some = calls.slice(start, start + atOnce);
      start += some.length;
      const traceIds = [...new Set(some.map(({ trace_id }) => trace_id))];
      const nodes = descendants ? await this.store.listNodes(accountId, traceIds) : [];
      const byTrace = groupByTrace(nodes);
      for (const call of some) {
        const own = byTrace.get(call.trace_id) ?? [];
        const { kept: inside, ...next } = takePage(
          nodesBelow(own, call.span_id),
          DESCENDANTS,
          toKey,
          payloadBytes,
        );
        const { payload_bytes: ownBytes = 0 } = own.find(({ span_id }) => span_id === call.span_id) ?? call;
        bytes += inside.reduce((sum, node) => sum + payloadBytes(node), ownBytes);
        if (page.length > 0 && bytes > PAGE_BYTES) break;
        page.push({ call, ownBytes, inside, ...next });
      }
      atOnce = nodes.length > SMALL_TRACE * traceIds.length ? TREES_AT_ONCE : 3 * atOnce;
    }
    const [spans, traces] = await Promise.all([
      this.readSpans(
        accountId,
        page.flatMap(({ call, inside }) => [call, ...inside]),
      ),
      this.store.readTraces(accountId, [...new Set(page.map(({ call }) => call.trace_id))]),
    ]);
    const byId = new Map(traces.map((trace) => [trace.id, trace]));
    return page.map(({ call, ownBytes, inside, next_cursor: cursor }) => {
      const span = spans.get(toRefKey(call));
      if (span !== undefined) this.recent.keep(accountId, span, ownBytes);
      const trace = byId.get(call.trace_id);
      return (
        span && {
          ...toRecordedCall(span, trace),
          ...otlpContexts(span),
          ...toTrace(trace),
          ...(descendants && { descendants: toDescendants(inside, spans, trace) }),
          ...(cursor !== undefined && { descendants_cursor: cursor }),
        }
      );
    });
  }

  /**
   * The calls below a span at any depth, in the order of their starts. A page of large payloads ends early.
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
    const { after } = readPosition(page, 'text');
    const nodes = await this.store.listNodes(accountId, [traceId]);
    if (!nodes.some((node) => node.span_id === spanId)) {
      throw new NotFoundException(`Span ${spanId} of trace ${traceId} not found`);
    }
    const below = nodesBelow(nodes, spanId);
    const start = after === undefined ? 0 : below.findIndex(({ span_id }) => span_id === after[0]) + 1;
    if (after !== undefined && start === 0) throw new InvalidCursorError();
    const { kept, ...next } = takePage(below.slice(start), page.limit, toKey, payloadBytes);
    const [spans, [trace]] = await Promise.all([
      this.readSpans(accountId, kept),
      this.store.readTraces(accountId, [traceId]),
    ]);
    return { items: toDescendants(kept, spans, trace), ...next };
  }

  /** By {@link toRefKey}. */
  private async readSpans(accountId: string, refs: readonly SpanRef[]): Promise<Map<string, SpanRecord>> {
    if (refs.length === 0) return new Map();
    const spans = await this.store.readSpans(accountId, refs);
    return new Map(spans.map((span) => [toRefKey({ trace_id: span.trace_id, span_id: span.id }), span]));
  }
}

function toKey({ span_id }: SpanRef): [string] {
  return [span_id];
}

function payloadBytes({ payload_bytes: bytes }: SizedRef): number {
  return bytes;
}

export function toRefKey({ trace_id, span_id }: SpanRef): string {
  return `${trace_id}/${span_id}`;
}

function groupByTrace(nodes: readonly SpanNode[]): Map<string, SpanNode[]> {
  const groups = new Map<string, SpanNode[]>();
  for (const node of nodes) {
    const group = groups.get(node.trace_id);
    if (group === undefined) groups.set(node.trace_id, [node]);
    else group.push(node);
  }
  return groups;
}

/** Returns each span once, and never the root: a hostile trace may have a circle of parents. */
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

/** Leaves out calls that are not readable yet. */
function toDescendants(
  nodes: readonly SpanNode[],
  spans: ReadonlyMap<string, SpanRecord>,
  trace: TraceRecord | undefined,
): RecordedDescendant[] {
  return nodes.flatMap((node) => {
    const span = spans.get(toRefKey(node));
    const { parent_id, trace_function_key } = node;
    return span ? [{ ...toRecordedCall(span, trace), parent_id: parent_id ?? '', trace_function_key }] : [];
  });
}

function toTrace(record: Omit<TraceRecord, 'id'> = {}): Pick<RecordedCall, 'trace'> {
  const { tags, metadata, contexts } = record;
  const trace = {
    ...pickLabels(record),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
    ...(contexts !== undefined && { contexts }),
  };
  return Object.keys(trace).length === 0 ? {} : { trace };
}

function toRecordedCall(span: SpanRecord, trace: TraceRecord | undefined): RecordedCall {
  const { input, output, error, usage, meta } = span.span_data;
  return {
    trace_id: span.trace_id,
    span_id: span.id,
    name: span.name,
    type: span.type,
    ...(span.kind !== undefined && { kind: span.kind }),
    ...(span.level !== undefined && { level: span.level }),
    status: span.status,
    started_at: span.started_at,
    ...(span.duration_ms !== undefined && { duration_ms: span.duration_ms }),
    ...(trace?.session_id !== undefined && { session_id: trace.session_id }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(usage !== undefined && { usage }),
    ...(meta !== undefined && { meta }),
  };
}

/** A replay derives the arguments of a call from these contexts: see `OtlpCall` of the tracer. */
function otlpContexts({ span_data: { contexts, meta } }: SpanRecord): Pick<RecordedCall, 'contexts'> {
  return meta?.source === 'otlp' && contexts !== undefined ? { contexts } : {};
}
