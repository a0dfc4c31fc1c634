import type { RankedSection, SearchOptions, SectionVector } from '@dacapo/indexes';
import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { extname, join } from 'node:path';
import { MetaStore } from '../../storage/meta/meta-store.js';
import { Embeddings } from '../embeddings/embeddings.js';
import { WorkerClient, WorkerEndedError } from '../../workers/worker-client.js';
import type { IndexSize, SearchCalls } from './search-worker.js';

/** The content of one index in the thread. */
interface Loaded {
  revision: number;
  documentNos: Set<number>;
  /** Numbers of sections without a vector. */
  withoutVector: Set<number>;
  bytes: number;
  /** The generation of the thread. */
  generation: number;
}

export interface FoundSections {
  /** Best first. */
  ranked: RankedSection[];
  /** Number of sections without a vector; 0 without an embedder. */
  withoutVector: number;
}

const DOCUMENTS_AT_ONCE = 50;
/** Beyond this, the least recently used indexes are dropped. */
const MEMORY_BYTES = 512 * 1024 * 1024;
/** An index is loaded again when a larger share of its sections was removed. */
const MAX_WASTE = 0.5;

/**
 * Ranks sections for a query. A separate thread has the words of each index in memory. Before each search, changes of the index are sent
 * to it.
 */
@Injectable()
export class IndexSearcher implements OnApplicationShutdown {
  private readonly thread = new WorkerClient(join(__dirname, `search-worker${extname(__filename)}`));
  /** By account and index, the most recently used last. */
  private readonly loaded = new Map<string, Loaded>();
  private readonly loading = new Map<string, Promise<unknown>>();
  /** Indexes whose {@link prepare} waits for its turn. */
  private readonly waiting = new Set<string>();
  private isClosed = false;

  constructor(
    private readonly meta: MetaStore,
    @Optional() private readonly embeddings?: Embeddings,
  ) {}

  /** `undefined` when the index does not exist. */
  async search(
    accountId: string,
    indexId: string,
    query: string,
    limit: number,
    options: SearchOptions = {},
  ): Promise<FoundSections | undefined> {
    const key = indexKey(accountId, indexId);
    const loaded = await this.load(key, accountId, indexId);
    if (loaded === undefined) return undefined;
    const ranked = (await this.ask('search', { key, query, limit, options })) as RankedSection[];
    return { ranked, withoutVector: loaded.withoutVector.size };
  }

  /**
   * Loads the index in the background, so that the next query is fast. Calls in quick succession load it once. The next query reports
   * errors.
   */
  prepare(accountId: string, indexId: string): void {
    const key = indexKey(accountId, indexId);
    if (this.isClosed || this.waiting.has(key)) return;
    this.waiting.add(key);
    void this.load(key, accountId, indexId).catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.thread.close();
    await Promise.all(this.loading.values());
  }

  /** Loads each index once at a time. @returns `undefined` when the index does not exist */
  private async load(key: string, accountId: string, indexId: string): Promise<Loaded | undefined> {
    const before = this.loading.get(key) ?? Promise.resolve();
    const turn = before.then(() => {
      this.waiting.delete(key);
      return this.synchronize(key, accountId, indexId);
    });
    const settled = turn.catch(() => undefined);
    this.loading.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.loading.get(key) === settled) this.loading.delete(key);
    }
  }

  private async synchronize(key: string, accountId: string, indexId: string): Promise<Loaded | undefined> {
    const revision = await this.meta.indexes.revision(accountId, indexId);
    if (revision === undefined) {
      await this.drop(key);
      return undefined;
    }
    let known = this.loaded.get(key);
    if (known?.generation !== this.thread.generation) known = undefined;
    if (known?.revision !== revision) {
      const changed = await this.change(key, accountId, indexId, known).catch(async (error: unknown) => {
        // The thread has an unknown part of the change.
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
      const vectors = await this.readVectors(accountId, indexId, part);
      if (this.embeddings?.madeBy !== undefined) {
        for (const { section_no } of sections) withoutVector.add(section_no);
      }
      for (const { section_no } of vectors) withoutVector.delete(section_no);
      size = await this.send({ key, removed: [], added: sections, vectors }, generation);
    }
    if (size.waste <= MAX_WASTE) return { documentNos, withoutVector, bytes: size.bytes, generation };
    await this.drop(key);
    return this.change(key, accountId, indexId, undefined);
  }

  private async readVectors(
    accountId: string,
    indexId: string,
    documentNos: number[],
  ): Promise<SectionVector[]> {
    const madeBy = this.embeddings?.madeBy;
    return madeBy === undefined ? [] : this.meta.indexes.vectors(accountId, indexId, madeBy, { documentNos });
  }

  /** @throws WorkerEndedError when the thread was restarted, and lacks what was sent before */
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

function indexKey(accountId: string, indexId: string): string {
  return JSON.stringify([accountId, indexId]);
}
