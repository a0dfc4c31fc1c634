import { formatTimestamp } from '@dacapo/protocol';
import type { Clock } from '../../../clock.js';
import { DatabaseDamagedError, LostWritesError } from '../../../errors.js';
import type { StoreHealth } from '../../meta/meta-database.js';
import { listLostWrites } from './commit-count.js';
import type { Connection, Step } from './connection.js';
import { findDamage } from './maintenance/check-database.js';
import type { ReaderPool } from './reader-pool.js';
import type { Reserve } from './reserve.js';

/** How long an answer is reused, which limits how often checks write. */
const GOOD_FOR_US = 1e6;
/** While damage is known, the full check is repeated after this time. */
const LOOKED_AGAIN_AFTER_US = 600e6;
/** More than the free pages that the log may have on a full disk. */
const LARGE_PROBE_BYTES = 512 * 1024;

/** A row of no account with an old time, so that it is deleted in any case. */
const PUT_PROBE = `INSERT INTO ingest_batches(account_id, batch_id, received_us) VALUES ('', hex(randomblob(?)), 0)`;
const DELETE_PROBE: Step = { sql: `DELETE FROM ingest_batches WHERE account_id = ''`, rows: [[]] };

/** Checks whether the database can be read and written by doing both. */
export class SqliteHealth {
  private found: DatabaseDamagedError | undefined;
  private readonly ending = new AbortController();
  private checking: Promise<void> | undefined;
  /** When the last full check ended. */
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
   * @throws StorageFullError if the disk is full
   * @throws DatabaseThreadLostError if a thread ended and cannot be reopened
   * @throws DatabaseDamagedError if a statement or the last full check found damage. While damage is known, the full check is repeated
   *   from time to time, and one that finds none clears it
   * @throws LostWritesError while acknowledged writes are missing and nobody accepted the loss
   * @throws StorageError if it cannot be read or written for another reason
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
   * Checks the whole database in the background. From then on, {@link check} reports what it finds, and no longer what is repaired. Only
   * one check runs at a time; a second call returns the running one.
   *
   * @throws DatabaseDamagedError if it finds damage
   * @throws StorageError if the database cannot be checked
   */
  checkAll(): Promise<void> {
    return (this.checking ??= this.look().finally(() => {
      this.checking = undefined;
    }));
  }

  /** Ends {@link checkAll}, and resolves when it no longer uses the database. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.checking?.catch(() => undefined);
  }

  private async look(): Promise<void> {
    const { signal } = this.ending;
    const known = new Map(this.connections().map((connection) => [connection, connection.damage]));
    // A statement may have failed on an index that does not match its table, which the quick check does not detect.
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
      // Keeps damage that was found after the check began.
      if (connection.damage === known.get(connection)) connection.damage = undefined;
    }
  }

  /** The damage of each connection, then of the full check. */
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
    // After a failure, a small write may succeed where a batch fails.
    const { writeTrouble } = writer;
    if (writeTrouble) {
      await writer.write([{ sql: PUT_PROBE, rows: [[LARGE_PROBE_BYTES / 2]] }]);
      await writer.write([DELETE_PROBE]);
      // Keeps a failure that occurred during the probe.
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
