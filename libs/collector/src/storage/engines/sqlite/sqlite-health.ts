import { formatTimestamp } from '@dacapo/protocol';
import type { Clock } from '../../../clock.js';
import { DatabaseDamagedError, LostWritesError } from '../../../errors.js';
import type { StoreHealth } from '../../meta/meta-database.js';
import { listLostWrites } from './commit-count.js';
import type { Connection, Step } from './connection.js';
import { findDamage } from './maintenance/check-database.js';
import type { ReaderPool } from './reader-pool.js';
import type { Reserve } from './reserve.js';

/** An answer is good for so long: whoever asks without pause writes no more than this often. */
const GOOD_FOR_US = 1e6;
/** Damage is looked for again so long after the last look through all, while it is known. */
const LOOKED_AGAIN_AFTER_US = 600e6;
/** More than the pages that a full disk may have left over in the log. */
const LARGE_PROBE_BYTES = 512 * 1024;

/** Of no account, and older than what is kept: whatever becomes of it, it is deleted. */
const PUT_PROBE = `INSERT INTO ingest_batches(account_id, batch_id, received_us) VALUES ('', hex(randomblob(?)), 0)`;
const DELETE_PROBE: Step = { sql: `DELETE FROM ingest_batches WHERE account_id = ''`, rows: [[]] };

/** Whether the database can be read and written, found out by doing both. */
export class SqliteHealth {
  private found: DatabaseDamagedError | undefined;
  private readonly ending = new AbortController();
  private checking: Promise<void> | undefined;
  /** When a look through all ended last. */
  private lookedUs: number | undefined;
  private last: { atUs: number; result: Promise<void> } | undefined;

  constructor(
    private readonly path: string,
    private readonly writer: Connection,
    private readonly readers: readonly ReaderPool[],
    private readonly clock: Readonly<Clock>,
    private readonly reserve: Pick<Reserve, 'refuseWhileUsed'>,
  ) {}

  /**
   * @throws StorageFullError when there is no room
   * @throws DatabaseThreadLostError when a thread that ended cannot be opened again
   * @throws DatabaseDamagedError when a statement or the last look through all found damage; while it is known, all is looked
   *   through again from time to time, and a look that finds none clears it
   * @throws LostWritesError while acknowledged writes are missing that nobody accepted
   * @throws StorageError when it cannot be read or written for another reason
   */
  async check(): Promise<StoreHealth> {
    const ended = this.connections().find((one) => one.ended)?.ended;
    if (ended) throw ended;
    this.reserve.refuseWhileUsed();
    const nowUs = this.clock.nowUs();
    if (this.last === undefined || nowUs - this.last.atUs >= GOOD_FOR_US) {
      this.last = { atUs: nowUs, result: this.probe() };
    }
    const stumbled = await this.last.result.then(() => undefined, damageOrThrow);
    const damage = this.damages().find((one) => one !== undefined) ?? stumbled;
    const checkedAt = this.lookedUs === undefined ? undefined : formatTimestamp(this.lookedUs);
    if (damage === undefined) return { ...(checkedAt !== undefined && { checkedAt }) };
    if (nowUs - (this.lookedUs ?? -Infinity) >= LOOKED_AGAIN_AFTER_US) this.checkAll().catch(() => undefined);
    damage.checkedAt = checkedAt;
    throw damage;
  }

  /**
   * Looks through the whole database in the background; {@link check} tells of what it finds from then on, and no more of
   * what was found before and is gone. Only one looks at a time: asked meanwhile, it is the one that is under way.
   *
   * @throws DatabaseDamagedError when something is found
   * @throws StorageError when it cannot be checked
   */
  checkAll(): Promise<void> {
    return (this.checking ??= this.look().finally(() => {
      this.checking = undefined;
    }));
  }

  /** Ends {@link checkAll}, and resolves when it has let go of the database. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.checking?.catch(() => undefined);
  }

  private async look(): Promise<void> {
    const { signal } = this.ending;
    const known = new Map(this.connections().map((connection) => [connection, connection.damage]));
    // What a statement stumbled over may be an index that does not fit its table, which the quick check does not see.
    const quick = this.damages().every((one) => one === undefined);
    let finding: string | undefined;
    try {
      [finding] = await findDamage(this.path, { quick, signal });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.lookedUs = this.clock.nowUs();
    if (finding !== undefined) throw (this.found = new DatabaseDamagedError(finding));
    this.found = undefined;
    for (const connection of this.connections()) {
      // What was found since the look began is not cleared by it.
      if (connection.damage === known.get(connection)) connection.damage = undefined;
    }
  }

  /** Of each connection, then of the look through all. */
  private damages(): (DatabaseDamagedError | undefined)[] {
    return [...this.connections().map(({ damage }) => damage), this.found];
  }

  private connections(): Connection[] {
    return [this.writer, ...this.readers.flatMap((pool) => pool.connections)];
  }

  private async probe(): Promise<void> {
    const { writer, readers } = this;
    await Promise.all(readers.map((reader) => reader.all('SELECT count(*) FROM schema_migrations')));
    const [loss] = await listLostWrites(writer);
    // After a failure a small write may go through where a batch does not.
    const { writeTrouble } = writer;
    if (writeTrouble) {
      await writer.write([{ sql: PUT_PROBE, rows: [[LARGE_PROBE_BYTES / 2]] }]);
      await writer.write([DELETE_PROBE]);
      // What failed meanwhile is in doubt still.
      if (writer.writeTrouble === writeTrouble) writer.writeTrouble = undefined;
    } else {
      await writer.write([{ sql: PUT_PROBE, rows: [[8]] }, DELETE_PROBE]);
    }
    if (loss) throw new LostWritesError(loss);
  }
}

function damageOrThrow(error: unknown): DatabaseDamagedError {
  if (error instanceof DatabaseDamagedError) return error;
  throw error;
}
