import { parseTimestamp } from '@dacapo/protocol';
import { BATCH_IDS_KEPT_US } from '../ports/span-store.js';

const EVERY_US = 10e6;

/** Decides when old batch ids are deleted: together with a batch, at most every 10 s. */
export class OldBatchIds {
  private deletedUs = 0;

  /** @returns `{ beforeUs }` if ids from before that time are due to be deleted */
  due(receivedAt: string): { beforeUs: number } | undefined {
    const nowUs = parseTimestamp(receivedAt) ?? 0;
    if (Math.abs(nowUs - this.deletedUs) < EVERY_US) return undefined;
    this.deletedUs = nowUs;
    return { beforeUs: nowUs - BATCH_IDS_KEPT_US };
  }
}
