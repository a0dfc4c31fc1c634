import { type AuditEntry, formatTimestamp, type Page } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type PageRequest, readPosition, takePage } from '../cursor.js';
import { CollectorLogger, describeError } from '../logger.js';
import type { NewAuditEntry } from '../storage/meta/audit.js';
import { MetaStore } from '../storage/meta/meta-store.js';

const RETENTION_US = 400 * 24 * 3600 * 1e6;
const MAX_ENTRIES_PER_ACCOUNT = 100_000;
const PRUNE_INTERVAL_US = 3600 * 1e6;

/** Records who did what. */
@Injectable()
export class AuditLog {
  private prunedUs = -Infinity;

  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  /** Called after the action and before the answer. If it fails, the action stays done and the service's log has the entry. */
  async note(accountId: string, entry: Omit<NewAuditEntry, 'at'>): Promise<void> {
    const nowUs = this.clock.nowUs();
    try {
      await this.meta.audit.add(accountId, { ...entry, at: formatTimestamp(nowUs) });
      if (nowUs - this.prunedUs < PRUNE_INTERVAL_US) return;
      this.prunedUs = nowUs;
      await this.meta.audit.prune(formatTimestamp(nowUs - RETENTION_US), MAX_ENTRIES_PER_ACCOUNT);
    } catch (error) {
      const { action, object = 'none', keyId = 'none', sessionId = 'none' } = entry;
      this.logger.error(
        `The audit log of account ${accountId} lacks ${action}, object ${object}, key ${keyId}, ` +
          `browser session ${sessionId}: ${describeError(error)}`,
      );
    }
  }

  async list(accountId: string, page: PageRequest): Promise<Page<AuditEntry>> {
    const range = { limit: page.limit + 1, ...readPosition(page, 'number') };
    const { kept, ...next } = takePage(await this.meta.audit.list(accountId, range), page.limit, ({ no }) => [
      no,
    ]);
    return { items: kept.map(({ entry }) => entry), ...next };
  }
}
