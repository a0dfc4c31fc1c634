import { notesOfOutcome } from '@dacapo/evaluation';
import {
  type AddDatasetVersionAnswer,
  type AddDatasetVersionRequest,
  type CaptureMeta,
  type DatasetItem,
  type JsonValue,
  type RecordedCall,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { TestRunItemService } from '../runs/test-run-item-service.js';
import type { NewDatasetItem } from '../storage/dataset-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { CallService } from '../traces/call-service.js';

/** Calls or items that are copied in one go. */
const COPIES_AT_ONCE = 200;

/** Notes on a call that say nothing of its arguments. */
const NOT_OF_ARGUMENTS = new Set(['output', 'stream', 'contexts', 'prompt']);

/** Items are read one by one: a bad one never harms its neighbours. */
export interface VersionRequest extends Omit<AddDatasetVersionRequest, 'items'> {
  items?: JsonValue[];
}

/** What became of the sources, apart from the copies. */
export type CopiedSources = Pick<AddDatasetVersionAnswer, 'unknown_key' | 'similar_key'> & {
  skipped: Record<string, number>;
};

type Sources = Pick<AddDatasetVersionRequest, 'from_calls' | 'from_test_run'>;

/** Makes items of a dataset from stored calls, and from items of test runs. */
@Injectable()
export class ItemCopies {
  constructor(
    private readonly meta: MetaStore,
    private readonly calls: CallService,
    private readonly items: TestRunItemService,
  ) {}

  /** @throws NotFoundException when there is no such run */
  async check(accountId: string, { from_test_run: run }: Sources): Promise<void> {
    if (run !== undefined && !(await this.meta.testRuns.find(accountId, run.id))) {
      throw new NotFoundException(`Test run ${run.id} not found`);
    }
  }

  /** @param found is filled while the copies are read: what was skipped, by reason, and whether the key is known */
  async *read(
    accountId: string,
    { from_calls: calls, from_test_run: run }: Sources,
    found: CopiedSources,
  ): AsyncGenerator<NewDatasetItem[]> {
    if (calls !== undefined) yield* this.ofCalls(accountId, calls, found);
    if (run !== undefined) yield* this.ofRun(accountId, run, found.skipped);
  }

  private async *ofCalls(
    accountId: string,
    { trace_function_key: key, selection: request }: NonNullable<Sources['from_calls']>,
    found: CopiedSources,
  ): AsyncGenerator<NewDatasetItem[]> {
    const { selection, selected } = await this.calls.select(accountId, key, request);
    const { skipped, unknown_key: isUnknown, similar_key: similar } = selection;
    Object.assign(found.skipped, skipped);
    if (isUnknown) found.unknown_key = true;
    if (similar !== undefined) found.similar_key = similar;
    for (let start = 0; start < selected.length;) {
      const some = selected.slice(start, start + COPIES_AT_ONCE);
      const calls = await this.calls.readSelected(accountId, key, some, { descendants: false });
      const copies = calls.flatMap((call) => (call === undefined ? [] : [copyOfCall(call, key)]));
      if (copies.length < calls.length) count(found.skipped, 'missing', calls.length - copies.length);
      yield copies;
      start += calls.length;
    }
  }

  private async *ofRun(
    accountId: string,
    { id, item_nos: numbers, verdict }: NonNullable<Sources['from_test_run']>,
    skipped: Record<string, number>,
  ): AsyncGenerator<NewDatasetItem[]> {
    const wanted = numbers && new Set(numbers);
    const { traceFunctionKey = '' } = (await this.meta.testRuns.find(accountId, id)) ?? {};
    let cursor: string | undefined;
    do {
      const page = { limit: COPIES_AT_ONCE, ...(cursor !== undefined && { cursor }) };
      const filter = verdict === undefined ? {} : { verdict };
      const { items, next_cursor } = await this.items.listRecords(accountId, id, filter, page);
      const first = items.filter(
        ({ item_no, repetition = 0 }) => repetition === 0 && (wanted?.has(item_no) ?? true),
      );
      const copies = first.flatMap((item) => copyOfItem(item, id, traceFunctionKey) ?? []);
      if (copies.length < first.length) count(skipped, 'no_input', first.length - copies.length);
      yield copies;
      cursor = next_cursor;
    } while (cursor !== undefined);
  }
}

function count(skipped: Record<string, number>, reason: string, times: number): void {
  skipped[reason] = (skipped[reason] ?? 0) + times;
}

function copyOfCall(call: RecordedCall, key: string): NewDatasetItem {
  const { trace_id, span_id, input = [], output, meta = {}, trace } = call;
  const names = Object.keys(meta).filter((name) => !NOT_OF_ARGUMENTS.has(name));
  const rest = Object.fromEntries(names.map((name) => [name, meta[name]]));
  return {
    copyOf: `call/${trace_id}/${span_id}`,
    item: {
      id: randomUUID(),
      input,
      ...notes('meta', rest),
      // What came before it failed or was cancelled is not what it is to give.
      ...(call.status === 'ok' &&
        output !== undefined && { expected: output, ...notes('expected_meta', notesOfOutcome(meta)) }),
      ...(trace?.metadata && { metadata: trace.metadata }),
      source: { trace_id, span_id, trace_function_key: key },
    },
  };
}

/** Expected is what the item was compared with; what a person accepted of it takes its place. */
function copyOfItem(item: TestRunItemRecord, runId: string, key: string): NewDatasetItem | undefined {
  const { input, item_no, source_trace_id: traceId, source_span_id: spanId, meta, acceptance } = item;
  if (input === undefined) return undefined;
  const hasEnded = item.original_error === undefined && item.original_status === undefined;
  // What a call yielded before it failed or was cancelled is not expected of it.
  const original = hasEnded ? item.original_output : undefined;
  const accepted = item.error === undefined ? item.result : undefined;
  const expected = acceptance ? accepted : original;
  const expectedMeta = notesOfOutcome(acceptance ? meta : item.original_meta);
  const source = {
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(spanId !== undefined && { span_id: spanId }),
    ...{ trace_function_key: key, test_run_id: runId, item_no },
  };
  return {
    copyOf: spanId === undefined ? `run/${runId}/${item_no}` : `call/${traceId}/${spanId}`,
    item: {
      id: randomUUID(),
      input,
      ...(meta?.input && { meta: { input: meta.input } }),
      ...(expected !== undefined && {
        expected,
        ...(expectedMeta && { expected_meta: expectedMeta }),
      }),
      source,
    },
  };
}

function notes<const N extends 'meta' | 'expected_meta'>(
  name: N,
  meta: CaptureMeta = {},
): Pick<DatasetItem, N> | Record<string, never> {
  return Object.keys(meta).length === 0 ? {} : ({ [name]: meta } as Pick<DatasetItem, N>);
}
