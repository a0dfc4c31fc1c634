import { BATCH_IDS_KEPT_US } from '@dacapo/collector/storage';
import { parseTimestamp } from '@dacapo/protocol';

/** The ids of the batches that came lately, of one account. */
export class OracleBatchIds {
  /** When each came, the oldest first. */
  private readonly known = new Map<string, number>();

  /** Notes an id, and forgets those that are too old. @returns whether it was known */
  isKnown(batchId: string | undefined, receivedAt: string): boolean {
    if (batchId !== undefined && this.known.has(batchId)) return true;
    const receivedUs = parseTimestamp(receivedAt) ?? 0;
    if (batchId !== undefined) this.known.set(batchId, receivedUs);
    this.forget(receivedUs - BATCH_IDS_KEPT_US);
    return false;
  }

  private forget(beforeUs: number): void {
    for (const [id, atUs] of this.known) {
      if (atUs >= beforeUs) return;
      this.known.delete(id);
    }
  }
}
