import { setTimeout as sleep } from 'node:timers/promises';
import type { MetaDatabase, StoreHealth } from '../../meta/meta-database.js';
import { runMethod, type StoreCall } from '../../meta/stores.js';
import type { MetaTransaction } from '../../meta/transaction.js';
import type { PostgresConnection } from './connection.js';
import { PostgresReader } from './reader.js';
import { META_TABLE_NAMES } from './schema.js';

/** The number of the next transaction. Older transactions may still see deleted rows. */
const NOW = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS number';

/** Other connections to the database with an older transaction. */
const OLDER_TRANSACTION = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
  AND pid <> pg_backend_pid() AND age(backend_xmin) > age($1::xid8::xid) LIMIT 1`;

/** Number of checks for older transactions. Those of collectors end within milliseconds. */
const LOOKS = 20;
const PAUSE_MS = 50;

/** Runs each writing method in its own SERIALIZABLE transaction, which is repeated after a conflict. */
export class PostgresMetaDatabase implements MetaDatabase {
  constructor(private readonly connection: PostgresConnection) {}

  write(call: StoreCall): Promise<unknown> {
    return this.connection.serialize((db) => runMethod(db, call));
  }

  reader(): MetaTransaction {
    return new PostgresReader(this.connection);
  }

  async ping(): Promise<StoreHealth> {
    await this.connection.all('SELECT 1', []);
    return {};
  }

  /**
   * Rewrites the tables of `MetaStore`, each under an exclusive lock: after a plain VACUUM, half of the deleted values were still in free
   * space of pages. The write-ahead log contains them until PostgreSQL recycles it.
   */
  async scrub(): Promise<string | undefined> {
    const [now] = await this.connection.all<{ number: string }>(NOW, []);
    for (let looks = 1; (await this.connection.all(OLDER_TRANSACTION, [now?.number])).length > 0; looks++) {
      if (looks === LOOKS) return 'a transaction that reads deleted rows';
      await sleep(PAUSE_MS);
    }
    await this.connection.all(`VACUUM FULL ${META_TABLE_NAMES.join(', ')}`, []);
    return undefined;
  }
}
