import { pickOutcomeNotes } from '@dacapo/evaluation';
import {
  type AddDatasetVersionAnswer,
  type AddDatasetVersionRequest,
  type CaptureMeta,
  type DatasetItem,
  type RecordedCall,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { DatasetItems } from '../runs/dataset-items.js';
import { TestRunItemService } from '../runs/test-run-item-service.js';
import type { NewDatasetItem } from '../storage/ports/dataset-change.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { SelectedRef } from '../storage/ports/test-run.js';
import { readTextQuery } from '../storage/rules/text-query.js';
import { CallService } from '../traces/call-service.js';

const COPIES_AT_ONCE = 200;

/** Capture notes of a call that do not concern its arguments. */
const NOT_ABOUT_ARGUMENTS = new Set(['output', 'stream', 'contexts', 'prompt']);

export type CopiedSources = Pick<AddDatasetVersionAnswer, 'unknown_key' | 'similar_key'> & {
  skipped: Record<string, number>;
};

type Sources = Pick<AddDatasetVersionRequest, 'from_calls' | 'from_test_run' | 'from_dataset'>;

type DatasetPart = NonNullable<NonNullable<Sources['from_dataset']>['part']>;

/** Copies stored calls and items of test runs into dataset items. */
@Injectable()
export class ItemCopies {
  constructor(
    private readonly meta: MetaStore,
    private readonly calls: CallService,
    private readonly items: TestRunItemService,
    private readonly datasets: DatasetItems,
  ) {}

  /** @throws NotFoundException when the run, the other dataset or its version does not exist, ProtocolError when the text of the selection has no words */
  async check(
    accountId: string,
    { from_calls: calls, from_test_run: run, from_dataset: other }: Sources,
  ): Promise<void> {
    const { text } = calls?.selection ?? {};
    if (text !== undefined) readTextQuery(text, 'from_calls.selection.text');
    if (run !== undefined && !(await this.meta.testRuns.find(accountId, run.id))) {
      throw new NotFoundException(`Test run ${run.id} not found`);
    }
    if (other !== undefined) {
      await this.datasets.resolveVersion(accountId, other.name, other.version ?? 'latest');
    }
  }

  /** @param found filled while the copies are read: what was skipped, by reason, and whether the key is known */
  async *read(
    accountId: string,
    { from_calls: calls, from_test_run: run, from_dataset: other }: Sources,
    found: CopiedSources,
  ): AsyncGenerator<NewDatasetItem[]> {
    if (calls !== undefined) yield* this.copyCalls(accountId, calls, found);
    if (run !== undefined) yield* this.copyRun(accountId, run, found.skipped);
    if (other !== undefined) yield* this.copyDataset(accountId, other, found.skipped);
  }

  private async *copyDataset(
    accountId: string,
    { name, version, ids, except_ids: except = [], part }: NonNullable<Sources['from_dataset']>,
    skipped: Record<string, number>,
  ): AsyncGenerator<NewDatasetItem[]> {
    const wanted = ids && new Set(ids);
    const unwanted = new Set(except);
    const { version: resolved, selected } = await this.datasets.select(accountId, name, version ?? 'latest');
    const chosen = selected.filter((ref) => {
      const { dataset_item_id: id = '' } = ref;
      const isChosen = !unwanted.has(id) && (wanted?.has(id) ?? true);
      return isChosen && (part === undefined || isInPart(identifyCopy(ref), part));
    });
    for (let start = 0; start < chosen.length;) {
      const items = await this.datasets.read(
        accountId,
        { name, version: resolved },
        chosen.slice(start, start + COPIES_AT_ONCE),
      );
      const copies = items.flatMap((item, at) => {
        const ref = chosen[start + at];
        return item === undefined || ref === undefined
          ? []
          : [{ copyOf: identifyCopy(ref), item: { ...item, id: randomUUID() } }];
      });
      if (copies.length < items.length) count(skipped, 'erased', items.length - copies.length);
      yield copies;
      start += items.length;
    }
  }

  private async *copyCalls(
    accountId: string,
    { trace_function_key: key, selection: request = {} }: NonNullable<Sources['from_calls']>,
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
      const copies = calls.flatMap((call) => (call === undefined ? [] : [copyCall(call, key)]));
      if (copies.length < calls.length) count(found.skipped, 'missing', calls.length - copies.length);
      yield copies;
      start += calls.length;
    }
  }

  private async *copyRun(
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
      const copies = first.flatMap((item) => copyItem(item, id, traceFunctionKey) ?? []);
      if (copies.length < first.length) count(skipped, 'no_input', first.length - copies.length);
      yield copies;
      cursor = next_cursor;
    } while (cursor !== undefined);
  }
}

/** A copy of a call is that of the same call in every dataset. */
function identifyCopy({ dataset_item_id: id = '', trace_id: traceId, span_id: spanId }: SelectedRef): string {
  return traceId === undefined || spanId === undefined ? `item/${id}` : `call/${traceId}/${spanId}`;
}

/** The first 32 bits of a hash are evenly distributed. */
function isInPart(copyOf: string, part: DatasetPart): boolean {
  const share = createHash('sha256').update(copyOf).digest().readUInt32BE() / 2 ** 32;
  return share < part.percent / 100 !== (part.is_rest ?? false);
}

function count(skipped: Record<string, number>, reason: string, times: number): void {
  skipped[reason] = (skipped[reason] ?? 0) + times;
}

function copyCall(call: RecordedCall, key: string): NewDatasetItem {
  const { trace_id, span_id, input = [], output, meta = {}, trace } = call;
  const names = Object.keys(meta).filter((name) => !NOT_ABOUT_ARGUMENTS.has(name));
  const rest = Object.fromEntries(names.map((name) => [name, meta[name]]));
  return {
    copyOf: `call/${trace_id}/${span_id}`,
    item: {
      id: randomUUID(),
      input,
      ...notes('meta', rest),
      // The partial output of a failed or cancelled call is not an expected output.
      ...(call.status === 'ok' &&
        output !== undefined && { expected: output, ...notes('expected_meta', pickOutcomeNotes(meta)) }),
      ...(trace?.metadata && { metadata: trace.metadata }),
      source: { trace_id, span_id, trace_function_key: key },
    },
  };
}

/** The expected output is the item's baseline, or the outcome that a person accepted. */
function copyItem(item: TestRunItemRecord, runId: string, key: string): NewDatasetItem | undefined {
  const { input, item_no, source_trace_id: traceId, source_span_id: spanId, meta, acceptance } = item;
  if (input === undefined) return undefined;
  const isOriginalOk = item.original_error === undefined && item.original_status === undefined;
  // The partial output of a failed or cancelled call is not an expected output.
  const original = isOriginalOk ? item.original_output : undefined;
  const accepted = item.error === undefined ? item.result : undefined;
  const expected = acceptance ? accepted : original;
  const expectedMeta = pickOutcomeNotes(acceptance ? meta : item.original_meta);
  const source = {
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(spanId !== undefined && { span_id: spanId }),
    trace_function_key: key,
    test_run_id: runId,
    item_no,
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
