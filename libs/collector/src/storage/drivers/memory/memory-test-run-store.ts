import type { TestRunItemRecord } from '@dacapo/protocol';
import type { Range } from '../../span-store.js';
import {
  type ListedItem,
  type NewTestRun,
  NO_TOTALS,
  type StoredTestRun,
  type TestRunStore,
} from '../../test-run-store.js';
import { newestFirst } from './newest-first.js';

interface Run extends NewTestRun {
  finishedAt?: string;
  items: Map<number, TestRunItemRecord>;
}

export class MemoryTestRunStore implements TestRunStore {
  /** By account and id. */
  private readonly accounts = new Map<string, Map<string, Run>>();

  create(accountId: string, run: NewTestRun): Promise<void> {
    const runs = this.accounts.get(accountId) ?? new Map<string, Run>();
    this.accounts.set(accountId, runs.set(run.id, { ...run, items: new Map() }));
    return Promise.resolve();
  }

  find(accountId: string, id: string): Promise<StoredTestRun | undefined> {
    const run = this.run(accountId, id);
    return Promise.resolve(run && toStored(run));
  }

  list(accountId: string, filter: { traceFunctionKey?: string }, range: Range): Promise<StoredTestRun[]> {
    const { traceFunctionKey: key } = filter;
    const runs = [...(this.accounts.get(accountId)?.values() ?? [])].filter(
      (run) => key === undefined || run.traceFunctionKey === key,
    );
    return Promise.resolve(newestFirst(runs, range, (run) => [run.createdAt, run.id]).map(toStored));
  }

  finish(accountId: string, id: string, finishedAt: string): Promise<void> {
    const run = this.run(accountId, id);
    if (run) run.finishedAt ??= finishedAt;
    return Promise.resolve();
  }

  putItems(accountId: string, runId: string, items: TestRunItemRecord[]): Promise<void> {
    for (const item of items) this.run(accountId, runId)?.items.set(item.item_no, item);
    return Promise.resolve();
  }

  listItems(accountId: string, runId: string, { limit, after = -1 }: Range<number>): Promise<ListedItem[]> {
    const items = [...(this.run(accountId, runId)?.items.values() ?? [])]
      .filter(({ item_no }) => item_no > after)
      .sort((left, right) => left.item_no - right.item_no);
    return Promise.resolve(
      items.slice(0, limit).map((item) => ({
        item_no: item.item_no,
        payload_bytes: Buffer.byteLength(JSON.stringify(item)),
      })),
    );
  }

  readItems(accountId: string, runId: string, itemNos: number[]): Promise<TestRunItemRecord[]> {
    const items = this.run(accountId, runId)?.items;
    return Promise.resolve(itemNos.flatMap((itemNo) => items?.get(itemNo) ?? []));
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }

  private run(accountId: string, id: string): Run | undefined {
    return this.accounts.get(accountId)?.get(id);
  }
}

function toStored({ id, traceFunctionKey, name, createdAt, finishedAt, items }: Run): StoredTestRun {
  const count = (verdict: TestRunItemRecord['verdict']): number =>
    [...items.values()].filter((item) => item.verdict === verdict).length;
  return {
    id,
    trace_function_key: traceFunctionKey,
    ...(name !== undefined && { name }),
    status: finishedAt === undefined ? 'running' : 'finished',
    created_at: createdAt,
    heartbeat_at: createdAt,
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    totals: {
      ...NO_TOTALS,
      items: items.size,
      same: count('same'),
      changed: count('changed'),
      error: count('error'),
    },
  };
}
