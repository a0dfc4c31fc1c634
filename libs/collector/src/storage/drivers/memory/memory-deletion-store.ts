import type { DeletionRecord } from '@dacapo/protocol';
import type { DeletionStore, StoredDeletion } from '../../deletion-store.js';
import type { Range } from '../../range.js';
import { newestFirst } from './newest-first.js';

export class MemoryDeletionStore implements DeletionStore {
  /** By account and id, in the order in which they were made. */
  private readonly deletions = new Map<string, StoredDeletion>();

  put(deletion: StoredDeletion): Promise<void> {
    this.deletions.set(nameOf(deletion.accountId, deletion.record.id), structuredClone(deletion));
    return Promise.resolve();
  }

  find(accountId: string, id: string): Promise<DeletionRecord | undefined> {
    return Promise.resolve(this.deletions.get(nameOf(accountId, id))?.record);
  }

  list(accountId: string, range: Range): Promise<DeletionRecord[]> {
    const own = this.all().filter((deletion) => deletion.accountId === accountId);
    const records = own.map(({ record }) => record);
    return Promise.resolve(newestFirst(records, range, ({ created_at, id }) => [created_at, id]));
  }

  findNext(): Promise<StoredDeletion | undefined> {
    const left = this.all().filter(({ record, progress }) => record.state !== 'done' && !progress.isRemoved);
    return Promise.resolve(left.find(({ record }) => record.reason !== 'retention') ?? left[0]);
  }

  listRemoved(): Promise<StoredDeletion[]> {
    return Promise.resolve(
      this.all().filter(({ record, progress }) => record.state !== 'done' && progress.isRemoved === true),
    );
  }

  prune(before: string): Promise<void> {
    for (const { accountId, record } of this.all()) {
      const isOver = record.state === 'done' && record.created_at < before;
      if (isOver) this.deletions.delete(nameOf(accountId, record.id));
    }
    return Promise.resolve();
  }

  remove(accountId: string, exceptId?: string): Promise<void> {
    for (const { accountId: owner, record } of this.all()) {
      if (owner === accountId && record.id !== exceptId) this.deletions.delete(nameOf(owner, record.id));
    }
    return Promise.resolve();
  }

  scrub(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private all(): StoredDeletion[] {
    return [...this.deletions.values()];
  }
}

function nameOf(accountId: string, id: string): string {
  return `${accountId}/${id}`;
}
