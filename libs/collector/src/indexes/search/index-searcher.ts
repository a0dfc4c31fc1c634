import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { extname, join } from 'node:path';
import type { SectionVector } from '../../storage/index-store.js';
import { MetaStore } from '../../storage/meta-store.js';
import { Embeddings } from '../embeddings/embeddings.js';
import { WorkerClient, WorkerEndedError } from '../workers/worker-client.js';
import type { RankedSection } from './ranked-index.js';
import type { SearchOptions } from './search-index.js';
import type { IndexSize, SearchCalls } from './search-worker.js';

/** What the thread has of one index. */
interface Loaded {
  revision: number;
  documentNos: Set<number>;
  /** Its sections that have no vector yet. */
  withoutVector: Set<number>;
  bytes: number;
  /** Of the thread that has it. */
  generation: number;
}

export interface FoundSections {
  /** The nearest first. */
  ranked: RankedSection[];
  /** How many sections have no vector yet, where there is an embedder. */
  withoutVector: number;
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

  constructor(
    private readonly meta: MetaStore,
    @Optional() private readonly embeddings?: Embeddings,
  ) {}

  /** `undefined` when there is no such index. */
  async search(
    accountId: string,
    indexId: string,
    query: string,
    limit: number,
    options: SearchOptions = {},
  ): Promise<FoundSections | undefined> {
    const key = keyOf(accountId, indexId);
    const loaded = await this.load(key, accountId, indexId);
    if (loaded === undefined) return undefined;
    const ranked = (await this.ask('search', { key, query, limit, options })) as RankedSection[];
    return { ranked, withoutVector: loaded.withoutVector.size };
  }

  /**
   * Brings the thread to what is stored before anybody asks, so that the first query need not wait. Does not wait itself; of calls
   * that come faster than that, some do nothing. The next query gets the error.
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

  /** One at a time for each index. @returns `undefined` when there is no such index */
  private async load(key: string, accountId: string, indexId: string): Promise<Loaded | undefined> {
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

  private async bringUpToDate(key: string, accountId: string, indexId: string): Promise<Loaded | undefined> {
    const revision = await this.meta.indexes.revision(accountId, indexId);
    if (revision === undefined) {
      await this.drop(key);
      return undefined;
    }
    let known = this.loaded.get(key);
    if (known?.generation !== this.thread.generation) known = undefined;
    if (known?.revision !== revision) {
      const changed = await this.change(key, accountId, indexId, known).catch(async (error: unknown) => {
        // It has a part of the change, and nobody knows which.
        await this.drop(key);
        throw error;
      });
      known = { ...changed, revision };
    }
    this.loaded.delete(key);
    this.loaded.set(key, known);
    await this.keepWithinMemory(key);
    const { withoutVector } = known;
    this.embeddings?.fill(accountId, indexId, withoutVector, async (vectors) => {
      const now = this.loaded.get(key);
      if (now?.withoutVector !== withoutVector) return false;
      const change = { key, removed: [], added: [], vectors };
      now.bytes = (await this.send(change, now.generation)).bytes;
      return true;
    });
    return known;
  }

  private async change(
    key: string,
    accountId: string,
    indexId: string,
    before: Loaded | undefined,
  ): Promise<Omit<Loaded, 'revision'>> {
    const { generation } = this.thread;
    const known = before?.documentNos ?? new Set<number>();
    const withoutVector = before?.withoutVector ?? new Set<number>();
    const documents = await this.meta.indexes.documents(accountId, indexId);
    const documentNos = new Set(documents.map(({ document_no }) => document_no));
    const added = [...documentNos].filter((documentNo) => !known.has(documentNo)).sort((a, b) => a - b);
    const removed = [...known].filter((documentNo) => !documentNos.has(documentNo));
    let size = await this.send({ key, removed, added: [], vectors: [] }, generation);
    while (added.length > 0) {
      const part = added.splice(0, DOCUMENTS_AT_ONCE);
      const sections = await this.meta.indexes.sections(accountId, indexId, { documentNos: part });
      const vectors = await this.keptVectors(accountId, indexId, part);
      for (const { section_no } of this.embeddings?.madeBy === undefined ? [] : sections)
        withoutVector.add(section_no);
      for (const { section_no } of vectors) withoutVector.delete(section_no);
      size = await this.send({ key, removed: [], added: sections, vectors }, generation);
    }
    if (size.waste <= MOST_WASTE) return { documentNos, withoutVector, bytes: size.bytes, generation };
    await this.drop(key);
    return this.change(key, accountId, indexId, undefined);
  }

  private async keptVectors(
    accountId: string,
    indexId: string,
    documentNos: number[],
  ): Promise<SectionVector[]> {
    const madeBy = this.embeddings?.madeBy;
    return madeBy === undefined ? [] : this.meta.indexes.vectors(accountId, indexId, madeBy, documentNos);
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
