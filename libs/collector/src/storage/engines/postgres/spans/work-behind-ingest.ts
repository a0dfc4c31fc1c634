import type { PostgresConnection } from '../connection.js';
import { deriveWaiting } from './long-traces.js';
import { ADDED_AT_ONCE, sumTallies } from './metrics.js';

const EVERY_MS = 10_000;

/** Fewer tallies of an account are left to readers, which add them up. */
const ADDED_FROM = 500;

const ACCOUNTS = `SELECT account_id FROM metrics WHERE is_sum = 0
  GROUP BY account_id HAVING count(*) >= ${ADDED_FROM}`;

/**
 * Adds up tallies and derives long traces behind ingest, so that the work of readers and batches is bounded. Each process may run one: it
 * skips what another process does.
 */
export class WorkBehindIngest {
  private readonly timer: NodeJS.Timeout;
  private working: Promise<void> | undefined;
  private isStopped = false;

  /** @param everyMs interval between two checks for work */
  constructor(
    private readonly connection: PostgresConnection,
    everyMs = EVERY_MS,
  ) {
    this.timer = setInterval(() => {
      // If the database is unreachable, the next request reports it.
      this.working ??= this.addAll()
        .catch(() => undefined)
        .finally(() => {
          this.working = undefined;
        });
    }, everyMs).unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.working;
  }

  private async addAll(): Promise<void> {
    await deriveWaiting(this.connection, () => this.isStopped);
    const accounts = await this.connection.all<{ account_id: string }>(ACCOUNTS, []);
    for (const { account_id: accountId } of accounts) {
      let added: number | undefined = ADDED_AT_ONCE;
      while (added === ADDED_AT_ONCE && !this.isStopped) {
        added = await this.connection.transact((db) => sumTallies(db, accountId));
      }
    }
  }
}
