import type { DeletionCounts, TestRunItemRecord } from '@dacapo/protocol';
import type { CopyStore, ErasedCopies, OldRuns, RunItemRef, RunItemsOf } from '../../copy-store.js';
import type { TraceGroup } from '../../trace-deletion.js';
import type { StoredItem } from '../../test-run-store.js';
import type { DeletedCopies } from './deleted-copies.js';
import type { MemoryAcceptedOutcomeStore } from './memory-accepted-outcome-store.js';
import { MemoryDeletionCounts } from './memory-deletion-counts.js';
import type { MemoryDatasetStore } from './memory-dataset-store.js';
import { erasedItem, type MemoryTestRunStore, type Run } from './memory-test-run-store.js';

/** By what a run selected its calls, which may name a person. */
const CONDITIONS = ['session_id', 'user_id', 'tags', 'name', 'metadata', 'text'] as const;

export class MemoryCopyStore implements CopyStore {
  private readonly counted = new MemoryDeletionCounts();

  constructor(
    private readonly deleted: DeletedCopies,
    private readonly accepted: MemoryAcceptedOutcomeStore,
    private readonly testRuns: MemoryTestRunStore,
    private readonly datasets: MemoryDatasetStore,
  ) {}

  eraseCopies(
    accountId: string,
    traceIds: readonly string[],
    { deletionId }: { deletionId?: string },
  ): Promise<ErasedCopies> {
    this.deleted.add(accountId, traceIds);
    const gone = new Set(traceIds);
    const made = new Set(
      this.items(accountId, ({ new_trace_id: id = '' }) => gone.has(id)).map(({ testRunId, item: [no] }) =>
        nameOf(testRunId, no),
      ),
    );
    const copied = this.datasets.allItems(accountId).filter(({ item: { source = {} } }) => {
      const { trace_id = '', test_run_id = '', item_no = -1 } = source;
      return gone.has(trace_id) || made.has(nameOf(test_run_id, item_no));
    });
    const sources = new Set(copied.map(({ item }) => `item/${item.id}`));
    const acceptedOutcomes = this.accepted.deleteWhere(
      accountId,
      ({ source, testRunId, item: [no] }) =>
        gone.has(traceOf(source)) || sources.has(source) || made.has(nameOf(testRunId, no)),
    );
    for (const one of copied) {
      one.item = { id: one.item.id, input: [], erased: true };
      delete one.copyOf;
    }
    this.counted.add(accountId, deletionId, {
      dataset_items: copied.length,
      accepted_outcomes: acceptedOutcomes,
    });
    return Promise.resolve({ datasetItems: copied.length, acceptedOutcomes, isDone: true });
  }

  listReplays(accountId: string, traceIds: readonly string[]): Promise<string[]> {
    const played = new Set(
      this.ofTraces(accountId, { traceIds, withDatasets: true }).map(({ testRunId, item }) =>
        nameOf(testRunId, item[0]),
      ),
    );
    const items = this.testRuns
      .runsOf(accountId)
      .flatMap((run) => run.items.filter(({ record }) => played.has(nameOf(run.stored.id, record.item_no))));
    return Promise.resolve([...new Set(items.flatMap(({ record }) => record.new_trace_id ?? []))]);
  }

  listRunItems(accountId: string, of: RunItemsOf, most: number): Promise<RunItemRef[]> {
    const meant = 'runs' in of ? this.ofRuns(accountId, of.runs) : this.ofTraces(accountId, of);
    return Promise.resolve(meant.slice(0, most));
  }

  eraseRunItems(accountId: string, refs: readonly RunItemRef[], deletionId?: string): Promise<number> {
    let erased = 0;
    for (const { testRunId, item: key } of refs) {
      const run = this.testRuns.runsOf(accountId).find(({ stored }) => stored.id === testRunId);
      if (run === undefined) continue;
      run.items = run.items.map((item) => {
        if (keyOf(item.record).join() !== key.join() || item.record.erased) return item;
        erased++;
        return erasedItem(item);
      });
    }
    this.counted.add(accountId, deletionId, { run_items: erased });
    return Promise.resolve(erased);
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return Promise.resolve(this.counted.of(accountId, deletionId));
  }

  eraseSelected(
    accountId: string,
    traceIds: readonly string[],
    { withDatasets }: { withDatasets: boolean },
  ): Promise<boolean> {
    for (const run of this.testRuns.runsOf(accountId)) {
      if (run.selected.some((ref) => traceIds.includes(ref.trace_id ?? ''))) forgetSelection(run, CONDITIONS);
      run.selected = run.selected.map((ref) => {
        const isMeant = traceIds.includes(ref.trace_id ?? '');
        if (!isMeant || (ref.dataset_item_id !== undefined && !withDatasets)) return ref;
        const { item_no, dataset_item_id } = ref;
        return { item_no, ...(dataset_item_id !== undefined && { dataset_item_id }) };
      });
    }
    return Promise.resolve(true);
  }

  closeRuns(accountId: string, runs: OldRuns): Promise<void> {
    for (const run of this.oldRuns(accountId, runs)) {
      run.isErased = true;
      forgetSelection(run, CONDITIONS);
    }
    return Promise.resolve();
  }

  eraseGroup(accountId: string, { by, id }: TraceGroup): Promise<void> {
    for (const run of this.testRuns.runsOf(accountId)) {
      if (run.stored.selection?.request[by] === id) forgetSelection(run, [by]);
    }
    return Promise.resolve();
  }

  private ofTraces(
    accountId: string,
    { traceIds, withDatasets }: Extract<RunItemsOf, { traceIds: unknown }>,
  ): RunItemRef[] {
    const gone = new Set(traceIds);
    return this.items(
      accountId,
      ({ new_trace_id: made = '', source_trace_id: played = '', item_no }, { selected }) => {
        const ref = selected.find((one) => one.item_no === item_no);
        if (gone.has(made)) return true;
        if (!withDatasets) return gone.has(played) && ref?.dataset_item_id === undefined;
        return gone.has(played) || gone.has(ref?.trace_id ?? '');
      },
    );
  }

  private ofRuns(accountId: string, runs: OldRuns): RunItemRef[] {
    const old = new Set(this.oldRuns(accountId, runs));
    return this.items(accountId, (_, run) => old.has(run));
  }

  private oldRuns(accountId: string, { before, traceFunctionKey: key, exceptKeys = [] }: OldRuns): Run[] {
    return this.testRuns
      .runsOf(accountId)
      .filter(
        ({ stored, isErased }) =>
          !isErased &&
          stored.createdAt < before &&
          !exceptKeys.includes(stored.traceFunctionKey) &&
          (key === undefined || stored.traceFunctionKey === key),
      );
  }

  private items(accountId: string, isMeant: (record: TestRunItemRecord, run: Run) => boolean): RunItemRef[] {
    return this.testRuns
      .runsOf(accountId)
      .flatMap((run) =>
        run.items
          .filter(({ record }) => record.erased !== true && isMeant(record, run))
          .map(({ record }) => ({ testRunId: run.stored.id, item: keyOf(record) })),
      );
  }
}

/** By what a run selected its calls, which may name a person. */
function forgetSelection(run: Run, names: readonly (typeof CONDITIONS)[number][]): void {
  const { selection } = run.stored;
  if (selection === undefined) return;
  const request = { ...selection.request };
  for (const name of names) Reflect.deleteProperty(request, name);
  run.stored = { ...run.stored, selection: { ...selection, request } };
}

function keyOf({ item_no, repetition = 0 }: StoredItem['record']): RunItemRef['item'] {
  return [item_no, repetition];
}

function traceOf(source: string): string {
  return source.startsWith('call/') ? (source.split('/')[1] ?? '') : '';
}

function nameOf(testRunId: string, itemNo: number): string {
  return `${testRunId}/${itemNo}`;
}
