import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { errorMessage } from '../errors.js';
import { CollectorLogger } from '../logger.js';
import { MemoryBudget } from '../memory/memory-budget.js';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { type ExportPlace, TraceExport } from './trace-export.js';

/** Memory of one export: what it reads, and what waits for the client. */
const EXPORT_BYTES = 5 * 1024 * 1024;

/** A client that reads nothing for this long has left, even if its connection is open. */
const STALLED_MS = 120_000;

/** Streams traces. It reads no further than the client does, so the number of traces does not matter. */
@Injectable()
export class ExportService implements BeforeApplicationShutdown {
  private readonly open = new Set<Readable>();

  constructor(
    private readonly store: SpanStore,
    private readonly meta: MetaStore,
    private readonly budget: MemoryBudget,
    private readonly turns: Turns,
    private readonly logger: CollectorLogger,
  ) {}

  /**
   * Resolves when the first traces are read, so that errors until then become an error answer. Later errors destroy the stream.
   *
   * @throws BusyException when too many requests of the account are in memory
   */
  async start(accountId: string, place: ExportPlace): Promise<Readable> {
    const memory = this.budget.open(accountId);
    memory.grow(EXPORT_BYTES);
    try {
      const texts = new TraceExport(this.store, this.meta, this.turns, accountId, place).texts();
      const first = await texts.next();
      const stream = Readable.from(
        this.watched(first, texts, () => stream),
        { objectMode: false },
      );
      this.open.add(stream);
      stream.once('close', () => {
        memory.release();
        this.open.delete(stream);
      });
      return stream;
    } catch (error) {
      memory.release();
      throw error;
    }
  }

  /** Breaks off running exports, which may take hours. Clients continue after the last cursor. */
  beforeApplicationShutdown(): void {
    for (const stream of this.open) stream.destroy(new Error('The service stops'));
  }

  private async *watched(
    first: IteratorResult<string, unknown>,
    rest: AsyncGenerator<string>,
    stream: () => Readable,
  ): AsyncGenerator<string> {
    try {
      for (let next = first; next.done !== true; next = await rest.next()) {
        const stalled = setTimeout(() => {
          stream().destroy(new Error(`The client read nothing for ${STALLED_MS / 1000} s`));
        }, STALLED_MS).unref();
        try {
          yield next.value;
        } finally {
          clearTimeout(stalled);
        }
      }
    } catch (error) {
      this.logger.error(`An export was cut off: ${errorMessage(error)}`);
      throw error;
    }
  }
}
