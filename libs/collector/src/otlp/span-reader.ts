import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { extname, join } from 'node:path';
import { FairQueue } from '../memory/fair-queue.js';
import type { Reservation } from '../memory/memory-budget.js';
import { parseInTurns } from '../memory/parse-in-turns.js';
import { TimedTurns } from '../memory/timed-turns.js';
import { WorkerClient, WorkerLimitError } from '../workers/worker-client.js';
import { type ReadSpan, readSpan } from './read-span.js';
import { FrameError, type SpanFrame } from './span-frame.js';
import { SpanMasker } from './span-masker.js';
import type { SpanAnswer, SpanCall } from './span-worker.js';

/** In a process that has just started, reading a span takes up to 4 ms for each KiB. */
const MOST_BYTES_HERE = 16 * 1024;
/** For a span of any allowed size, on a slow and busy machine. */
const TIMEOUT_MS = 30_000;
const MEMORY_MB = 256;

/**
 * Decodes, converts and masks spans. Large spans are read in a separate thread, because one of them would block the main thread for up
 * to a second. The thread reads one span at a time, and accounts take turns.
 */
@Injectable()
export class SpanReader implements OnApplicationShutdown {
  private readonly masker = new SpanMasker();
  private readonly queue = new FairQueue();
  private readonly thread = new WorkerClient(join(__dirname, `span-worker${extname(__filename)}`), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });

  /**
   * @param keepsAll also converts a span without AI content
   * @throws FrameError, ProtocolError when the span is invalid
   * @throws BusyException, PayloadTooLargeException from the reservation
   */
  async read(
    accountId: string,
    frame: SpanFrame,
    memory: Reservation,
    turns: TimedTurns,
    keepsAll: boolean,
  ): Promise<ReadSpan> {
    if (turns.isOver) await turns.next();
    frame.weigh(memory);
    if (frame.byteLength <= MOST_BYTES_HERE) return readSpan(frame, this.masker, keepsAll);
    const text = await this.queue.run(accountId, () => this.readInThread(frame, keepsAll));
    const parsed = await parseInTurns(text, { members: Infinity, isDeep: true, memory }, turns);
    const answer = parsed as SpanAnswer;
    if ('reason' in answer) throw new FrameError(answer.reason);
    return answer.read;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.close();
  }

  private async readInThread(frame: SpanFrame, keepsAll: boolean): Promise<string> {
    const call: SpanCall = { body: frame.extract(), keepsAll, salt: this.masker.salt };
    try {
      return (await this.thread.call('read', call, TIMEOUT_MS)) as string;
    } catch (error) {
      if (error instanceof WorkerLimitError) throw new FrameError(`cannot be read: ${error.message}`);
      throw error;
    }
  }
}
