import type { SectionVector, StoredSection } from '@dacapo/indexes';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../clock.js';
import type { Embedder } from '../../embedder.js';
import { CollectorLogger } from '../../logger.js';
import { ResolvedOptions } from '../../options.js';
import { Locks } from '../../storage/coordination/locks.js';
import { MetaStore } from '../../storage/meta/meta-store.js';
import { EmbedderFailedError, embedWith } from './embed-with.js';

export type QueryMeaning = { vector: Float32Array } | { problem: string };

const BATCH_SIZE = 64;
/** Only so many characters of title and passage are embedded. */
const EMBEDDED_LENGTH = 8000;
/** Pause after a failure. Queries and passages pause separately. */
const PAUSE_US = 60_000_000;

/** Embeds queries at once, and passages in the background. */
@Injectable()
export class Embeddings implements OnApplicationShutdown {
  private readonly embedder: Embedder | undefined;
  private readonly pausedUntilUs = { query: 0, passage: 0 };
  private readonly filling = new Map<Set<number>, Promise<void>>();
  private readonly closing = new AbortController();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    options: ResolvedOptions,
    private readonly meta: MetaStore,
    private readonly locks: Locks,
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {
    this.embedder = options.embedder;
  }

  /** Identifies the embedder of a vector; `undefined` without an embedder. */
  get madeBy(): string | undefined {
    return this.embedder && `${this.embedder.name} (${this.embedder.dimensions})`;
  }

  /** @returns the vector, or why there is none; `undefined` without an embedder */
  async embedQuery(query: string): Promise<QueryMeaning | undefined> {
    if (this.embedder === undefined || query.trim() === '') return undefined;
    if (this.isPaused('query')) return { problem: 'The embedder failed recently' };
    try {
      const [vector] = await this.ask('query', [query]);
      return vector === undefined ? undefined : { vector };
    } catch (error) {
      if (!(error instanceof EmbedderFailedError)) throw error;
      return { problem: 'The embedder failed' };
    }
  }

  /**
   * Embeds sections in the background and stores the vectors. Does nothing if `missing` is being filled already, or during the pause
   * after a failure.
   *
   * @param missing section numbers; completed ones are removed
   * @param take receives stored vectors, and returns whether to continue
   */
  fill(
    accountId: string,
    indexId: string,
    missing: Set<number>,
    take: (made: SectionVector[]) => Promise<boolean>,
  ): void {
    if (this.embedder === undefined || missing.size === 0 || this.filling.has(missing)) return;
    if (this.isPaused('passage') || this.closing.signal.aborted) return;
    const work = this.fillAll(this.embedder, accountId, indexId, missing, take)
      .catch((error: unknown) => {
        // If the store fails, the next query reports it.
        if (error instanceof EmbedderFailedError) return;
        this.pausedUntilUs.passage = this.clock.nowUs() + PAUSE_US;
      })
      .finally(() => this.filling.delete(missing));
    this.filling.set(missing, work);
  }

  /** Resolves when no sections are being embedded. */
  async settled(): Promise<void> {
    while (this.filling.size > 0) await Promise.all(this.filling.values());
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.settled();
  }

  private async fillAll(
    { batchSize = BATCH_SIZE }: Embedder,
    accountId: string,
    indexId: string,
    missing: Set<number>,
    take: (made: SectionVector[]) => Promise<boolean>,
  ): Promise<void> {
    let isWanted = true;
    while (isWanted && missing.size > 0) {
      const sectionNos = [...missing].slice(0, batchSize);
      const sections = await this.meta.indexes.sections(accountId, indexId, { sectionNos });
      const found = this.inTurn(() => this.findOrMake(accountId, indexId, sections));
      const vectors = await found.catch((error: unknown) => {
        // Failed sections go to the end, so that a text that cannot be embedded does not block the others.
        for (const sectionNo of sectionNos) missing.delete(sectionNo);
        for (const { section_no } of sections) missing.add(section_no);
        throw error;
      });
      // The service closes.
      if (vectors === undefined) return;
      isWanted = await take(vectors);
      for (const sectionNo of sectionNos) missing.delete(sectionNo);
    }
  }

  /** The vectors of sections. New ones are stored; those that another process stored in its turn are read. */
  private async findOrMake(
    accountId: string,
    indexId: string,
    sections: readonly StoredSection[],
  ): Promise<SectionVector[]> {
    const { madeBy = '', meta } = this;
    const sectionNos = sections.map(({ section_no }) => section_no);
    const found = await meta.indexes.vectors(accountId, indexId, madeBy, { sectionNos });
    const known = new Set(found.map(({ section_no }) => section_no));
    const others = sections.filter(({ section_no }) => !known.has(section_no));
    if (others.length === 0) return found;
    const texts = others.map(({ title, content }) => `${title}\n\n${content}`.slice(0, EMBEDDED_LENGTH));
    const vectors = await this.ask('passage', texts);
    const made = others.flatMap(({ section_no, document_no }, at) => {
      const vector = vectors[at];
      return vector === undefined ? [] : [{ section_no, document_no, vector }];
    });
    await meta.indexes.putVectors(accountId, indexId, madeBy, made);
    return [...found, ...made];
  }

  /**
   * Runs one batch at a time for all indexes and processes together, because providers have rate limits.
   *
   * @returns `undefined` when the service closes before its turn
   */
  private inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
    const turn = this.last.then(() =>
      this.locks.exclusively(
        'embeddings',
        () => {
          if (this.isPaused('passage')) throw new EmbedderFailedError('it failed recently');
          return work();
        },
        this.closing.signal,
      ),
    );
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async ask(kind: 'query' | 'passage', texts: string[]): Promise<Float32Array[]> {
    const { signal } = this.closing;
    if (this.embedder === undefined) return [];
    try {
      return await embedWith(this.embedder, texts, { kind, signal });
    } catch (error) {
      if (error instanceof EmbedderFailedError && !signal.aborted) {
        this.pausedUntilUs[kind] = this.clock.nowUs() + PAUSE_US;
        const meanwhile =
          kind === 'query' ? 'queries are answered only by words' : 'passages wait for vectors';
        this.logger.warn(
          `The embedder ${this.embedder.name} failed: ${error.message}. For a minute ${meanwhile}.`,
        );
      }
      throw error;
    }
  }

  private isPaused(kind: 'query' | 'passage'): boolean {
    return this.clock.nowUs() < this.pausedUntilUs[kind];
  }
}
