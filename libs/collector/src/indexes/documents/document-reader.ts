import type { DocumentUpload } from '@dacapo/protocol';
import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { extname, join } from 'node:path';
import { FairQueue } from '../../memory/fair-queue.js';
import { WorkerClient, WorkerEndedError } from '../../workers/worker-client.js';
import type { ReadResult } from './document-worker.js';

/** For one document. No document written for people needs as much. */
const LIMITS = { timeoutMs: 10_000, memoryMb: 384 };

/**
 * Reads documents one by one in a separate thread. Accounts take turns. A document that exceeds the limits does not affect the
 * others.
 */
@Injectable()
export class DocumentReader implements OnApplicationShutdown {
  private readonly thread: WorkerClient;
  private readonly queue = new FairQueue();

  constructor(@Optional() private readonly limits: Partial<typeof LIMITS> = {}) {
    this.thread = new WorkerClient(join(__dirname, `document-worker${extname(__filename)}`), {
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb ?? LIMITS.memoryMb },
    });
  }

  /** @returns the document in sections, or why it cannot be read */
  read(accountId: string, upload: DocumentUpload): Promise<ReadResult> {
    return this.queue.run(accountId, () => this.readNow(upload));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.close();
  }

  private async readNow(upload: DocumentUpload): Promise<ReadResult> {
    try {
      return (await this.thread.call(
        'read',
        upload,
        this.limits.timeoutMs ?? LIMITS.timeoutMs,
      )) as ReadResult;
    } catch (error) {
      if (error instanceof WorkerEndedError) return { reason: error.message };
      throw error;
    }
  }
}
