import {
  type CallSample,
  type CallSelection,
  LIMITS,
  nearestName,
  type Page,
  type RecordedCallTree,
  type SearchCallsRequest,
  type SelectionRecord,
} from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { InvalidCursorError } from '../errors.js';
import { SpanStore } from '../storage/ports/span-store.js';
import type { SelectedRef } from '../storage/ports/test-run.js';
import { CallSelector, type Candidate } from './call-selector.js';
import type { CallPosition } from './candidate-traces.js';
import { CallTrees, toRefKey } from './call-trees.js';

/** Traces that are checked together in a selection. */
const TRACES_AT_ONCE = 500;

/** The most recently called keys, which a misspelt key is compared with. */
const COMPARED_KEYS = 1000;

/** Finds calls for replays: the calls of a key, and of a run's selection. */
@Injectable()
export class CallService {
  constructor(
    private readonly store: SpanStore,
    private readonly trees: CallTrees,
  ) {}

  /** Calls of a key, in pages. A page of large payloads ends early, as does a long search. @throws InvalidCursorError */
  async search(
    accountId: string,
    { limit, cursor, descendants = false, ...conditions }: SearchCallsRequest & { limit: number },
  ): Promise<Page<RecordedCallTree>> {
    const selector = new CallSelector(this.store, accountId, conditions, false);
    const found: Required<Candidate>[] = [];
    for await (const candidate of selector.candidates(
      limit + 1,
      decodeCallPosition(cursor, conditions.trace_ids),
    )) {
      if (candidate.call !== undefined) found.push({ ...candidate, call: candidate.call });
      if (found.length > limit) break;
    }
    const trees = await this.trees.read(
      accountId,
      found.slice(0, limit).map(({ call }) => call),
      { descendants },
    );
    const next = found.length > trees.length ? found[trees.length - 1]?.position : selector.lookedUntil;
    return {
      items: trees.flatMap((tree) => tree ?? []),
      ...(next !== undefined && { next_cursor: encodeCursor(next) }),
    };
  }

  /** The calls of a selection, and the number of skipped calls by reason. */
  async select(
    accountId: string,
    traceFunctionKey: string,
    request: CallSelection,
  ): Promise<{ selection: SelectionRecord; selected: (SelectedRef & { trace_id: string })[] }> {
    const { limit = LIMITS.selectedCalls, sample, ...rest } = request;
    const conditions = { ...rest, trace_function_key: traceFunctionKey };
    const selector = new CallSelector(this.store, accountId, conditions, true);
    const most = sample === undefined ? Math.min(limit, LIMITS.selectedCalls) : LIMITS.selectedCalls;
    let found: Candidate[] = [];
    let isStopped = false;
    for await (const candidate of selector.candidates(TRACES_AT_ONCE)) {
      if (found.length < most) {
        found.push(candidate);
        continue;
      }
      selector.skip('beyond_limit');
      if (this.isCountedOn(request, selector)) continue;
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
      const unseen = counted.listed - selector.tracesSeen;
      if (isStopped) selector.skip('beyond_limit', unseen);
      else if (selector.isNarrowed) selector.skip('not_matching', unseen);
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

  /** Whether to continue for counting calls of skipped classes: only if it needs no payloads and stays short. */
  private isCountedOn(
    { classes, except_classes, metadata, text }: CallSelection,
    selector: CallSelector,
  ): boolean {
    if ((classes ?? except_classes) === undefined) return false;
    return metadata === undefined && text === undefined && selector.tracesSeen < LIMITS.selectedCalls;
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
   * Reads the calls of a run's selection, up to a full page. A call that is deleted or not readable yet is `undefined`, and so is a
   * dataset item without a source call.
   */
  async readSelected(
    accountId: string,
    traceFunctionKey: string,
    selected: readonly SelectedRef[],
    options: { descendants: boolean },
  ): Promise<(RecordedCallTree | undefined)[]> {
    const traceIds = [...new Set(selected.flatMap(({ trace_id }) => trace_id ?? []))];
    const refs = selected.map(({ trace_id = '', span_id = '' }) => ({ trace_id, span_id }));
    // The nodes of inner calls are read together with the calls.
    if (options.descendants) return this.trees.read(accountId, refs, options);
    const nodes = await this.store.listNodes(accountId, traceIds, traceFunctionKey);
    const bytes = new Map(nodes.map((node) => [toRefKey(node), node.payload_bytes]));
    const calls = refs.map((ref) => ({ ...ref, payload_bytes: bytes.get(toRefKey(ref)) ?? 0 }));
    return this.trees.read(accountId, calls, options);
  }
}

/** @throws InvalidCursorError */
function decodeCallPosition(
  cursor: string | undefined,
  named: string[] | undefined,
): CallPosition | undefined {
  if (cursor === undefined) return undefined;
  if (named === undefined) return decodeCursor(cursor, 'time', 'text', 'number');
  const position = decodeCursor(cursor, 'number', 'number');
  if (position[0] < 0) throw new InvalidCursorError();
  return position;
}

/** The sample, in the original order. A hash of each call decides, so calls that are added or deleted do not change the rest. */
function takeSample(
  candidates: readonly Candidate[],
  { size, by = 'random', seed = 0 }: CallSample,
): Candidate[] {
  const ranked = candidates.flatMap(({ call }, index) => {
    if (call === undefined) return [];
    const random = createHash('sha256')
      .update(`${seed}/${toRefKey(call)}`)
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
