import type { MetaDatabase, StoreHealth } from '../../meta/meta-database.js';
import type { StoreCall } from '../../meta/stores.js';
import type { MetaTransaction } from '../../meta/transaction.js';
import { type Checkpointer, READS_THE_LOG } from './checkpointer.js';
import type { Connection } from './connection.js';
import type { ReaderPool } from './reader-pool.js';
import { ReadingTransaction } from './reading-transaction.js';
import type { Reserve } from './reserve.js';
import type { SqliteHealth } from './sqlite-health.js';

/** Methods that free space, so they may use the reserve of a full disk. */
const FREES_SPACE = /^(?:accounts\.deleteOwned|deletions\.|copies\.|scores\.delete|arrivals\.delete)/;

/** Runs writing methods in the writer's thread, and each statement of reading methods on a reader. */
export class SqliteMetaDatabase implements MetaDatabase {
  constructor(
    private readonly writer: Pick<Connection, 'run'>,
    private readonly readers: ReaderPool,
    private readonly health: Pick<SqliteHealth, 'check'>,
    private readonly checkpointer: Pick<Checkpointer, 'copy' | 'empty'>,
    private readonly reserve: Pick<Reserve, 'spend' | 'takeBack'>,
  ) {}

  async write(call: StoreCall): Promise<unknown> {
    const name = `${call.store}.${call.method}`;
    const write = (): Promise<unknown> => this.writer.run(call);
    const result = await (FREES_SPACE.test(name) ? this.reserve.spend(write) : write());
    // A database that loses its log later is then not mistaken for a new one.
    if (name === 'accounts.create') await this.checkpointer.copy();
    // Freed pages are overwritten (secure_delete), but the log still contains their old content.
    if (name === 'datasets.delete') await this.checkpointer.empty();
    return result;
  }

  reader(account: string): MetaTransaction {
    return new ReadingTransaction(this.readers.of(account));
  }

  ping(): Promise<StoreHealth> {
    return this.health.check();
  }

  async scrub(): Promise<string | undefined> {
    if (!(await this.checkpointer.empty())) return READS_THE_LOG;
    await this.reserve.takeBack();
    return undefined;
  }
}
