import {
  type CallSample,
  type CallSelection,
  LIMITS,
  nearestName,
  type Page,
  type RecordedCall,
  type RecordedCallTree,
  type RecordedDescendant,
  type SearchCallsRequest,
  type SelectionRecord,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { decodeCursor, encodeCursor, PAGE_BYTES, type PageRequest, positionOf, takePage } from '../cursor.js';
import { InvalidCursorError } from '../errors.js';
import { type SpanNode, type SpanRef, SpanStore } from '../storage/span-store.js';
import type { SelectedRef } from '../storage/test-run-store.js';
import { type CallPosition, CallSelector, type Candidate } from './call-selector.js';

/** Traces that are looked at in one go when all of them are. */
const TRACES_AT_ONCE = 500;

/** Calls whose traces are read in one go for what was called inside. */
const TREES_AT_ONCE = 20;

/** Calls inside one call that come with it; the rest is read page by page. */
const DESCENDANTS = 1000;

/** Keys that a misspelt one is compared with: those that were called last. */
const COMPARED_KEYS = 1000;

/** A call, and how many bytes its payload has. */
type SizedRef = SpanRef & Pick<SpanNode, 'payload_bytes'>;

/** Reads calls for replays: those of a key, and what was called inside them. */
@Injectable()
export class CallService {
  constructor(private readonly store: SpanStore) {}

  /** Calls of a key, page by page. A page of great payloads ends early. @throws InvalidCursorError */
  async search(
    accountId: string,
    { limit, cursor, descendants = false, ...conditions }: SearchCallsRequest & { limit: number },
  ): Promise<Page<RecordedCallTree>> {
    const selector = new CallSelector(this.store, accountId, conditions);
    const found: Required<Candidate>[] = [];
    for await (const candidate of selector.candidates(
      limit + 1,
      callPositionOf(cursor, conditions.trace_ids),
    )) {
      if (candidate.call !== undefined) found.push({ ...candidate, call: candidate.call });
      if (found.length > limit) break;
    }
    const trees = await this.readTrees(
      accountId,
      found.slice(0, limit).map(({ call }) => call),
      { descendants },
    );
    const last = found[trees.length - 1];
    return {
      items: trees.flatMap((tree) => tree ?? []),
      ...(last !== undefined && found.length > trees.length && { next_cursor: encodeCursor(last.position) }),
    };
  }

  /** All calls that a selection means, and how many it leaves out. */
  async select(
    accountId: string,
    traceFunctionKey: string,
    request: CallSelection,
  ): Promise<{ selection: SelectionRecord; selected: (SelectedRef & { trace_id: string })[] }> {
    const { limit = LIMITS.selectedCalls, sample, ...rest } = request;
    const conditions = { ...rest, trace_function_key: traceFunctionKey };
    const selector = new CallSelector(this.store, accountId, conditions);
    const most = sample === undefined ? Math.min(limit, LIMITS.selectedCalls) : LIMITS.selectedCalls;
    let found: Candidate[] = [];
    let isStopped = false;
    for await (const candidate of selector.candidates(TRACES_AT_ONCE)) {
      if (found.length < most) {
        found.push(candidate);
        continue;
      }
      selector.skip('beyond_limit');
      selector.stop();
      isStopped = request.trace_ids === undefined;
    }
    if (sample !== undefined) {
      const sampled = takeSample(found, sample);
      selector.skip('not_sampled', found.length - sampled.length);
      selector.skip('beyond_limit', Math.max(0, sampled.length - limit));
      found = sampled.slice(0, limit);
    }
    const counted = await this.store.countCallTraces(accountId, selector.traceFilter);
    if (request.trace_ids === undefined) {
      selector.skip('no_recording', counted.others);
      if (isStopped) selector.skip('beyond_limit', counted.listed - selector.tracesSeen);
    }
    const all = await this.store.countCallTraces(accountId, { traceFunctionKey });
    return {
      selection: {
        request,
        items: found.length,
        missing: found.filter(({ call }) => call === undefined).length,
        skipped: selector.skipped,
        ...(all.listed + all.others === 0 && (await this.unknownKey(accountId, traceFunctionKey))),
      },
      selected: found.map(({ traceId, call }, item_no) => ({
        item_no,
        trace_id: traceId,
        ...(call !== undefined && { span_id: call.span_id }),
      })),
    };
  }

  private async unknownKey(
    accountId: string,
    traceFunctionKey: string,
  ): Promise<Pick<SelectionRecord, 'unknown_key' | 'similar_key'>> {
    const known = await this.store.listTraceFunctionKeys(accountId);
    const similar = nearestName(
      traceFunctionKey,
      known.slice(0, COMPARED_KEYS).map(({ trace_function_key }) => trace_function_key),
    );
    return { unknown_key: true, ...(similar !== undefined && { similar_key: similar }) };
  }

  /**
   * The calls of a run's selection, as many of the first ones as fit a page. A call that cannot be read any more, or not
   * yet, is `undefined`, as is an item of a dataset that was copied from no call.
   */
  async readSelected(
    accountId: string,
    traceFunctionKey: string,
    selected: readonly SelectedRef[],
    options: { descendants: boolean },
  ): Promise<(RecordedCallTree | undefined)[]> {
    const traceIds = [...new Set(selected.flatMap(({ trace_id }) => trace_id ?? []))];
    const refs = selected.map(({ trace_id = '', span_id = '' }) => ({ trace_id, span_id }));
    // What was called inside is listed with the calls themselves.
    if (options.descendants) return this.readTrees(accountId, refs, options);
    const nodes = await this.store.listNodes(accountId, traceIds, traceFunctionKey);
    const bytes = new Map(nodes.map((node) => [refOf(node), node.payload_bytes]));
    const calls = refs.map((ref) => ({ ...ref, payload_bytes: bytes.get(refOf(ref)) ?? 0 }));
    return this.readTrees(accountId, calls, options);
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
    const { kept, ...next } = takePage(below.slice(start), page.limit, keyOf, bytesOf);
    const spans = await this.readSpans(accountId, kept);
    const [trace] = await this.store.readTraces(accountId, [traceId]);
    return { items: descendantsOf(kept, spans, trace), ...next };
  }

  private async readTrees(
    accountId: string,
    calls: readonly (SpanRef & Partial<SizedRef>)[],
    { descendants }: { descendants: boolean },
  ): Promise<(RecordedCallTree | undefined)[]> {
    const page: { call: SpanRef; inside: SpanNode[]; next_cursor?: string }[] = [];
    let bytes = 0;
    for (let start = 0; start < calls.length && bytes <= PAGE_BYTES; start += TREES_AT_ONCE) {
      const some = calls.slice(start, start + TREES_AT_ONCE);
      const traceIds = [...new Set(some.map(({ trace_id }) => trace_id))];
      const nodes = descendants ? await this.store.listNodes(accountId, traceIds) : [];
      for (const call of some) {
        const own = nodes.filter(({ trace_id }) => trace_id === call.trace_id);
        const { kept: inside, ...next } = takePage(
          nodesBelow(own, call.span_id),
          DESCENDANTS,
          keyOf,
          bytesOf,
        );
        const { payload_bytes: ownBytes = 0 } = own.find(({ span_id }) => span_id === call.span_id) ?? call;
        bytes += inside.reduce((sum, node) => sum + bytesOf(node), ownBytes);
        if (page.length > 0 && bytes > PAGE_BYTES) break;
        page.push({ call, inside, ...next });
      }
    }
    const spans = await this.readSpans(
      accountId,
      page.flatMap(({ call, inside }) => [call, ...inside]),
    );
    const traces = await this.store.readTraces(accountId, [
      ...new Set(page.map(({ call }) => call.trace_id)),
    ]);
    const byId = new Map(traces.map((trace) => [trace.id, trace]));
    return page.map(({ call, inside, next_cursor: cursor }) => {
      const span = spans.get(refOf(call));
      const trace = byId.get(call.trace_id);
      return (
        span && {
          ...toRecordedCall(span, trace),
          ...traceOf(trace),
          ...(descendants && { descendants: descendantsOf(inside, spans, trace) }),
          ...(cursor !== undefined && { descendants_cursor: cursor }),
        }
      );
    });
  }

  /** By {@link refOf}. */
  private async readSpans(accountId: string, refs: readonly SpanRef[]): Promise<Map<string, SpanRecord>> {
    if (refs.length === 0) return new Map();
    const spans = await this.store.readSpans(accountId, refs);
    return new Map(spans.map((span) => [refOf({ trace_id: span.trace_id, span_id: span.id }), span]));
  }
}

function keyOf({ span_id }: SpanRef): [string] {
  return [span_id];
}

function bytesOf({ payload_bytes: bytes }: SizedRef): number {
  return bytes;
}

function refOf({ trace_id, span_id }: SpanRef): string {
  return `${trace_id}/${span_id}`;
}

/** @throws InvalidCursorError */
function callPositionOf(cursor: string | undefined, named: string[] | undefined): CallPosition | undefined {
  if (cursor === undefined) return undefined;
  if (named === undefined) return decodeCursor(cursor, 'time', 'text', 'number');
  const position = decodeCursor(cursor, 'number', 'number');
  if (position[0] < 0) throw new InvalidCursorError();
  return position;
}

/** The sampled calls, in the order of all of them. A hash decides: what comes or goes changes nothing of the others. */
function takeSample(
  candidates: readonly Candidate[],
  { size, by = 'random', seed = 0 }: CallSample,
): Candidate[] {
  const ranked = candidates.flatMap(({ call }, index) => {
    if (call === undefined) return [];
    const random = createHash('sha256')
      .update(`${seed}/${refOf(call)}`)
      .digest()
      .readUIntBE(0, 6);
    const first = { random: 0, errors: Number(call.status === 'error'), slow: call.duration_ms ?? 0 }[by];
    return [{ index, first, random }];
  });
  const taken = ranked
    .sort((left, right) => right.first - left.first || left.random - right.random)
    .slice(0, size);
  const indexes = new Set(taken.map(({ index }) => index));
  return candidates.filter((_, index) => indexes.has(index));
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

/** What cannot be read yet is left out. */
function descendantsOf(
  nodes: readonly SpanNode[],
  spans: ReadonlyMap<string, SpanRecord>,
  trace: TraceRecord | undefined,
): RecordedDescendant[] {
  return nodes.flatMap((node) => {
    const span = spans.get(refOf(node));
    const { parent_id, trace_function_key } = node;
    return span ? [{ ...toRecordedCall(span, trace), parent_id: parent_id ?? '', trace_function_key }] : [];
  });
}

function traceOf({ session_id, metadata, contexts }: Omit<TraceRecord, 'id'> = {}): Pick<
  RecordedCall,
  'trace'
> {
  const trace = {
    ...(session_id !== undefined && { session_id }),
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
