import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { CollectorLogger } from '../logger.js';
import { MemoryBudget } from '../memory/memory-budget.js';
import { Turns } from '../memory/turns.js';
import { SpanStore } from '../storage/span-store.js';
import { type ExportPlace, TraceExport } from './trace-export.js';

/** What one export may hold: what is being read, and what waits for the client. */
const EXPORT_BYTES = 5 * 1024 * 1024;

/** A client that reads nothing for this long has left, even if its connection is open. */
const STALLED_MS = 120_000;

/** Streams traces, however many there are: it reads on when the client has taken what was read. */
@Injectable()
export class ExportService implements BeforeApplicationShutdown {
  private readonly open = new Set<Readable>();

  constructor(
    private readonly store: SpanStore,
    private readonly budget: MemoryBudget,
    private readonly turns: Turns,
    private readonly logger: CollectorLogger,
  ) {}

  /**
   * Resolves when the first traces are read: what goes wrong until then can still be answered. What goes wrong later destroys the
   * stream.
   *
   * @throws BusyException when the account has as many requests in memory as it may
   */
  async start(accountId: string, place: ExportPlace): Promise<Readable> {
    const memory = this.budget.open(accountId);
    memory.grow(EXPORT_BYTES);
    try {
      const texts = new TraceExport(this.store, this.turns, accountId, place).texts();
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

  /** Exports may take hours: a service that stops breaks them off, and they go on behind their last cursor. */
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
          stream().destroy(new Error(`The client took nothing for ${STALLED_MS / 1000} s`));
        }, STALLED_MS).unref();
        try {
          yield next.value;
        } finally {
          clearTimeout(stalled);
        }
      }
    } catch (error) {
      this.logger.error(`An export broke off: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }
}
