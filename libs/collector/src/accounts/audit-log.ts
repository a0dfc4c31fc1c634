import { type AuditEntry, formatTimestamp, type Page } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type PageRequest, positionOf, takePage } from '../cursor.js';
import { CollectorLogger, describeError } from '../logger.js';
import type { NewAuditEntry } from '../storage/audit-store.js';
import { MetaStore } from '../storage/meta-store.js';

/** What is older is forgotten, and so is what goes beyond so many entries of an account. */
const KEPT_US = 400 * 24 * 3600 * 1e6;
const MOST_ENTRIES = 100_000;
const PRUNED_EVERY_US = 3600 * 1e6;

/** Notes who did what. */
@Injectable()
export class AuditLog {
  private prunedUs = -Infinity;

  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  /** Noted before the caller is answered. What cannot be noted is done all the same by then: the log of the service tells it. */
  async note(accountId: string, entry: Omit<NewAuditEntry, 'at'>): Promise<void> {
    const nowUs = this.clock.nowUs();
    try {
      await this.meta.audit.add(accountId, { ...entry, at: formatTimestamp(nowUs) });
      if (nowUs - this.prunedUs < PRUNED_EVERY_US) return;
      this.prunedUs = nowUs;
      await this.meta.audit.prune(formatTimestamp(nowUs - KEPT_US), MOST_ENTRIES);
    } catch (error) {
      const { action, object = 'none', keyId = 'none', sessionId = 'none' } = entry;
      this.logger.error(
        `The audit log of account ${accountId} lacks ${action}, object ${object}, key ${keyId}, ` +
          `browser session ${sessionId}: ${describeError(error)}`,
      );
    }
  }

  async list(accountId: string, page: PageRequest): Promise<Page<AuditEntry>> {
    const range = { limit: page.limit + 1, ...positionOf(page, 'number') };
    const { kept, ...next } = takePage(await this.meta.audit.list(accountId, range), page.limit, ({ no }) => [
      no,
    ]);
    return { items: kept.map(({ entry }) => entry), ...next };
  }
}
