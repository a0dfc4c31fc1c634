import type { Clock } from '../../../clock.js';
import { DatabaseDamagedError } from '../../../errors.js';
import type { Connection, Step } from './connection.js';
import { findDamage } from './maintenance/check-database.js';
import type { ReaderPool } from './reader-pool.js';

/** An answer is good for so long: whoever asks without pause writes no more than this often. */
const GOOD_FOR_US = 1e6;
/** More than the pages that a full disk may have left over in the log. */
const LARGE_PROBE_BYTES = 512 * 1024;

/** Of no account, and older than what is kept: whatever becomes of it, it is deleted. */
const PUT_PROBE = `INSERT INTO ingest_batches(account_id, batch_id, received_us) VALUES ('', hex(randomblob(?)), 0)`;
const DELETE_PROBE: Step = { sql: `DELETE FROM ingest_batches WHERE account_id = ''`, rows: [[]] };

/** Whether the database can be read and written, found out by doing both. */
export class SqliteHealth {
  private found: DatabaseDamagedError | undefined;
  private readonly ending = new AbortController();
  private checking: Promise<void> = Promise.resolve();
  private last: { atUs: number; outcome: Promise<void> } | undefined;

  constructor(
    private readonly writer: Connection,
    private readonly readers: readonly ReaderPool[],
    private readonly clock: Readonly<Clock>,
  ) {}

  /**
   * @throws StorageFullError when there is no room
   * @throws DatabaseDamagedError when some statement found damage since the start
   * @throws StorageError when it cannot be read or written for another reason
   */
  check(): Promise<void> {
    const nowUs = this.clock.nowUs();
    if (this.last === undefined || nowUs - this.last.atUs >= GOOD_FOR_US) {
      this.last = { atUs: nowUs, outcome: this.probe() };
    }
    return this.last.outcome;
  }

  /**
   * Looks through the whole database in the background; {@link check} tells of what it finds from then on.
   *
   * @throws DatabaseDamagedError when something is found
   * @throws StorageError when it cannot be checked
   */
  checkAll(path: string): Promise<void> {
    const checking = this.look(path);
    this.checking = checking.catch(() => undefined);
    return checking;
  }

  /** Ends {@link checkAll}, and resolves when it has let go of the database. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.checking;
  }

  private async look(path: string): Promise<void> {
    const { signal } = this.ending;
    try {
      const [finding] = await findDamage(path, { quick: true, signal });
      if (finding !== undefined) throw (this.found = new DatabaseDamagedError(finding));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async probe(): Promise<void> {
    const { writer, readers } = this;
    await Promise.all(readers.map((reader) => reader.all('SELECT count(*) FROM schema_migrations')));
    // After a failure a small write may go through where a batch does not.
    if (writer.writeTrouble) {
      await writer.write([{ sql: PUT_PROBE, rows: [[LARGE_PROBE_BYTES / 2]] }]);
      await writer.write([DELETE_PROBE]);
    } else {
      await writer.write([{ sql: PUT_PROBE, rows: [[8]] }, DELETE_PROBE]);
    }
    const connections = [writer, ...readers.flatMap((pool) => pool.connections)];
    for (const { damage } of [{ damage: this.found }, ...connections]) if (damage) throw damage;
  }
}
