import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { extname, join } from 'node:path';
import { MetaStore } from '../../storage/meta-store.js';
import { WorkerClient, WorkerEndedError } from '../workers/worker-client.js';
import type { RankedSection } from './ranked-index.js';
import type { IndexSize, SearchCalls } from './search-worker.js';

/** What the thread has of one index. */
interface Loaded {
  revision: number;
  documentNos: Set<number>;
  bytes: number;
  /** Of the thread that has it. */
  generation: number;
}

/** Documents whose sections are handed over at once. */
const DOCUMENTS_AT_ONCE = 50;
/** Memory for the words of indexes; beyond it those go that were not asked for longest. */
const MEMORY_BYTES = 512 * 1024 * 1024;
/** Share of an index's sections that may be leftovers before it is read anew. */
const MOST_WASTE = 0.5;

/**
 * Ranks the sections of indexes by queries. A thread of its own keeps the words of each index in memory; before it is asked, it
 * is brought to what is stored.
 */
@Injectable()
export class IndexSearcher implements OnApplicationShutdown {
  private readonly thread = new WorkerClient(join(__dirname, `search-worker${extname(__filename)}`));
  /** By account and index, those that were asked last at the end. */
  private readonly loaded = new Map<string, Loaded>();
  private readonly loading = new Map<string, Promise<unknown>>();
  /** Of those that are brought to what is stored before anybody asks, those whose turn has not come. */
  private readonly waiting = new Set<string>();
  private isClosed = false;

  constructor(private readonly meta: MetaStore) {}

  /** The nearest sections first; `undefined` when there is no such index. */
  async search(
    accountId: string,
    indexId: string,
    query: string,
    limit: number,
  ): Promise<RankedSection[] | undefined> {
    const key = keyOf(accountId, indexId);
    if (!(await this.load(key, accountId, indexId))) return undefined;
    return (await this.ask('search', { key, query, limit })) as RankedSection[];
  }

  /**
   * Brings the thread to what is stored before anybody asks, so that the first query need not wait. Does not wait itself; of calls
   * that come faster than that, some do nothing. What goes wrong is told to the next query.
   */
  prepare(accountId: string, indexId: string): void {
    const key = keyOf(accountId, indexId);
    if (this.isClosed || this.waiting.has(key)) return;
    this.waiting.add(key);
    void this.load(key, accountId, indexId).catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.thread.close();
    await Promise.all(this.loading.values());
  }

  /** One at a time for each index. @returns whether there is such an index */
  private async load(key: string, accountId: string, indexId: string): Promise<boolean> {
    const before = this.loading.get(key) ?? Promise.resolve();
    const turn = before.then(() => {
      this.waiting.delete(key);
      return this.bringUpToDate(key, accountId, indexId);
    });
    const settled = turn.catch(() => undefined);
    this.loading.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.loading.get(key) === settled) this.loading.delete(key);
    }
  }

  private async bringUpToDate(key: string, accountId: string, indexId: string): Promise<boolean> {
    const revision = await this.meta.indexes.revision(accountId, indexId);
    if (revision === undefined) {
      await this.drop(key);
      return false;
    }
    let known = this.loaded.get(key);
    if (known?.generation !== this.thread.generation) known = undefined;
    if (known?.revision !== revision) {
      const changed = await this.change(key, accountId, indexId, known?.documentNos ?? new Set()).catch(
        async (error: unknown) => {
          // It has a part of the change, and nobody knows which.
          await this.drop(key);
          throw error;
        },
      );
      known = { ...changed, revision };
    }
    this.loaded.delete(key);
    this.loaded.set(key, known);
    await this.keepWithinMemory(key);
    return true;
  }

  private async change(
    key: string,
    accountId: string,
    indexId: string,
    known: Set<number>,
  ): Promise<Omit<Loaded, 'revision'>> {
    const { generation } = this.thread;
    const documents = await this.meta.indexes.documents(accountId, indexId);
    const documentNos = new Set(documents.map(({ document_no }) => document_no));
    const added = [...documentNos].filter((documentNo) => !known.has(documentNo)).sort((a, b) => a - b);
    const removed = [...known].filter((documentNo) => !documentNos.has(documentNo));
    let size = await this.send({ key, removed, added: [] }, generation);
    while (added.length > 0) {
      const part = added.splice(0, DOCUMENTS_AT_ONCE);
      const sections = await this.meta.indexes.sections(accountId, indexId, { documentNos: part });
      size = await this.send({ key, removed: [], added: sections }, generation);
    }
    if (size.waste <= MOST_WASTE) return { documentNos, bytes: size.bytes, generation };
    await this.drop(key);
    return this.change(key, accountId, indexId, new Set());
  }

  /** @throws WorkerEndedError when the thread is another one by now, which knows nothing of what was sent before */
  private async send(change: SearchCalls['change'], generation: number): Promise<IndexSize> {
    if (this.thread.generation !== generation) throw new WorkerEndedError('it ended');
    return (await this.ask('change', change)) as IndexSize;
  }

  private async keepWithinMemory(key: string): Promise<void> {
    let bytes = Array.from(this.loaded.values()).reduce((sum, index) => sum + index.bytes, 0);
    for (const [oldest, index] of this.loaded) {
      if (bytes <= MEMORY_BYTES || oldest === key) break;
      bytes -= index.bytes;
      await this.drop(oldest);
    }
  }

  private async drop(key: string): Promise<void> {
    this.loaded.delete(key);
    if (this.thread.isRunning) await this.ask('drop', { key });
  }

  private ask<K extends keyof SearchCalls>(method: K, payload: SearchCalls[K]): Promise<unknown> {
    return this.thread.call(method, payload);
  }
}

function keyOf(accountId: string, indexId: string): string {
  return JSON.stringify([accountId, indexId]);
}
