import { formatTimestamp, type IngestAnswer } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { SpanStore } from '../storage/span-store.js';
import { readBatch } from './read-batch.js';

@Injectable()
export class IngestService {
  constructor(
    private readonly store: SpanStore,
    private readonly clock: Clock,
  ) {}

  /** Stores the good lines of an NDJSON body; resolves after they are committed. */
  async ingest(accountId: string, body: string, batchId: string | undefined): Promise<IngestAnswer> {
    const { spans, traces, rejected } = await readBatch(body);
    const { duplicate } = await this.store.ingest(accountId, {
      ...(batchId !== undefined && { batchId }),
      spans,
      traces,
      receivedAt: formatTimestamp(this.clock.nowUs()),
    });
    return { accepted: spans.length + traces.length, rejected, ...(duplicate && { duplicate }) };
  }
}
