import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { CollectorLogger } from '../../logger.js';
import { ResolvedOptions } from '../../options.js';
import type { SectionVector } from '../../storage/index-store.js';
import { MetaStore } from '../../storage/meta-store.js';
import { type Embedder, EmbedderFailedError, embedWith } from './embedder.js';

export type QueryMeaning = { vector: Float32Array } | { problem: string };

const BATCH_SIZE = 64;
/** Characters of a passage that are embedded, its title included. */
const PASSAGE_LENGTH = 8000;
/** After a failure the embedder is left alone for so long, by queries and by passages each. */
const PAUSE_US = 60_000_000;

/** Has the embedder of the options make vectors: of a query at once, of passages in the background. */
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
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {
    this.embedder = options.embedder;
  }

  /** Says of a vector by whom it was made; `undefined` when there is no embedder. */
  get madeBy(): string | undefined {
    return this.embedder && `${this.embedder.name} (${this.embedder.dimensions})`;
  }

  /** @returns its vector, or why there is none; `undefined` when there is no embedder */
  async ofQuery(query: string): Promise<QueryMeaning | undefined> {
    if (this.embedder === undefined || query.trim() === '') return undefined;
    if (this.isPaused('query')) return { problem: 'The embedder failed a short time ago' };
    try {
      const [vector] = await this.ask('query', [query]);
      return vector === undefined ? undefined : { vector };
    } catch (error) {
      if (!(error instanceof EmbedderFailedError)) throw error;
      return { problem: 'The embedder failed' };
    }
  }

  /**
   * Makes vectors of sections and keeps them. Does not wait; a call for what is being filled already does nothing. What fails is
   * tried again when it is called after the pause.
   *
   * @param missing numbers of sections; finished ones are removed from it
   * @param take is given what was made, after it is kept; answers whether more is wanted
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
        // A store that fails tells the next query.
        if (error instanceof EmbedderFailedError) return;
        this.pausedUntilUs.passage = this.clock.nowUs() + PAUSE_US;
      })
      .finally(() => this.filling.delete(missing));
    this.filling.set(missing, work);
  }

  /** Waits until nothing is under way. */
  async settled(): Promise<void> {
    while (this.filling.size > 0) await Promise.all(this.filling.values());
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.settled();
  }

  private async fillAll(
    { batchSize = BATCH_SIZE, name, dimensions }: Embedder,
    accountId: string,
    indexId: string,
    missing: Set<number>,
    take: (made: SectionVector[]) => Promise<boolean>,
  ): Promise<void> {
    let isWanted = true;
    while (isWanted && missing.size > 0) {
      const sectionNos = [...missing].slice(0, batchSize);
      const sections = await this.meta.indexes.sections(accountId, indexId, { sectionNos });
      const texts = sections.map(({ title, content }) => `${title}\n\n${content}`.slice(0, PASSAGE_LENGTH));
      const vectors = await this.inTurn(texts).catch((error: unknown) => {
        // They go to the end, so that one text that cannot be embedded does not hold up the others.
        for (const sectionNo of sectionNos) missing.delete(sectionNo);
        for (const { section_no } of sections) missing.add(section_no);
        throw error;
      });
      const made = sections.flatMap(({ section_no, document_no }, at) => {
        const vector = vectors[at];
        return vector === undefined ? [] : [{ section_no, document_no, vector }];
      });
      await this.meta.indexes.putVectors(accountId, indexId, `${name} (${dimensions})`, made);
      isWanted = await take(made);
      for (const sectionNo of sectionNos) missing.delete(sectionNo);
    }
  }

  /** One batch at a time for all indexes together: providers limit how often they are asked. */
  private inTurn(texts: string[]): Promise<Float32Array[]> {
    const turn = this.last.then(() => {
      if (this.isPaused('passage')) throw new EmbedderFailedError('it failed a short time ago');
      return texts.length === 0 ? [] : this.ask('passage', texts);
    });
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
          kind === 'query' ? 'queries are answered by words alone' : 'passages wait for vectors';
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
