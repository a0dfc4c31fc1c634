import type { DocumentUpload, SkippedDocument } from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

/** Limits of one request, except for a single larger document. */
const BATCH = { documents: 50, bytes: 1024 * 1024 } as const;

/** Sends documents in batches, so that only one batch is in memory. */
export class DocumentBatch {
  added = 0;
  unchanged = 0;
  readonly skipped: SkippedDocument[] = [];
  private waiting: DocumentUpload[] = [];
  private bytes = 0;

  constructor(
    private readonly client: ServiceClient,
    private readonly indexId: string,
  ) {}

  async add(upload: DocumentUpload): Promise<void> {
    const bytes = Buffer.byteLength(upload.content);
    const isFull = this.waiting.length === BATCH.documents || this.bytes + bytes > BATCH.bytes;
    const sent = isFull ? this.send() : undefined;
    this.waiting.push(upload);
    this.bytes += bytes;
    await sent;
  }

  /** Sends the pending documents. */
  async send(): Promise<void> {
    if (this.waiting.length === 0) return;
    const request = { index_id: this.indexId, documents: this.waiting };
    this.waiting = [];
    this.bytes = 0;
    const answer = await this.client.api.indexes.addDocuments(request);
    this.added += answer.added;
    this.unchanged += answer.unchanged;
    this.skipped.push(...answer.skipped);
  }
}
