import { type CopiedTable, listCopiedTables } from './schema/copied-tables.js';
import type { MetaTransaction, SqlValue } from './transaction.js';

/** A row with its columns. */
export type CopiedRow = Readonly<Record<string, SqlValue>>;

export interface Transfer {
  /** The copied storage, without a password. */
  source: string;
  /** The progress of the copy, as JSON; empty while it copies rows. */
  place: string;
}

/** Prefix of the ids of batches that a migration stores. */
export const TRANSFER_BATCH = 'migrate-storage ';

/** Low, because a row with media may have several MiB. */
const ROWS_AT_ONCE = 100;
const MEDIA_AT_ONCE = 4;

/** For a migration between databases: raw rows and the progress. */
export class Transfers {
  static readonly writes = ['begin', 'putRows', 'advance', 'finish'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** The migration that fills this database; `undefined` if none does. */
  find(): Promise<Transfer | undefined> {
    return this.db.get<Transfer>('SELECT source, place FROM transfers');
  }

  /** The tables to copy, in an order in which they can be filled. */
  listTables(): Promise<string[]> {
    return Promise.resolve(listCopiedTables(this.db.dialect).map(({ name }) => name));
  }

  async isEmpty(): Promise<boolean> {
    for (const { name } of listCopiedTables(this.db.dialect)) {
      if ((await this.db.get(`SELECT 1 AS found FROM ${name} LIMIT 1`)) !== undefined) return false;
    }
    return true;
  }

  /** @param after the last row of the page before */
  async readRows(table: string, after?: CopiedRow): Promise<CopiedRow[]> {
    const key = this.findTable(table).key;
    const behind = after && `WHERE (${key.join(', ')}) > (${key.map((column) => `:${column}`).join(', ')})`;
    const limit = table === 'media' ? MEDIA_AT_ONCE : ROWS_AT_ONCE;
    const sql = `SELECT * FROM ${table} ${behind ?? ''} ORDER BY ${key.join(', ')} LIMIT ${limit}`;
    return this.listRows(sql, after);
  }

  /** The last row in the order of {@link readRows}. */
  async findLastRow(table: string): Promise<CopiedRow | undefined> {
    const key = this.findTable(table).key.map((column) => `${column} DESC`);
    const [row] = await this.listRows(`SELECT * FROM ${table} ORDER BY ${key.join(', ')} LIMIT 1`);
    return row;
  }

  /** A text that changes when a collector stores a batch or an entry of the audit log. */
  async markWrites(): Promise<string> {
    const batches = await this.db.get(
      'SELECT count(*) AS count, max(received_us) AS newest FROM ingest_batches',
    );
    const audited = await this.db.get('SELECT max(entry_no) AS newest FROM audit_log');
    return JSON.stringify([batches, audited]);
  }

  async begin(source: string): Promise<void> {
    await this.db.insert('transfers', { source, place: '' });
  }

  async putRows(table: string, rows: readonly CopiedRow[]): Promise<void> {
    const { name, numbered } = this.findTable(table);
    await this.db.insertAll(name, rows);
    const behind = numbered && this.db.dialect.giveOutBehind(name, numbered);
    if (behind !== undefined) await this.db.all(behind);
  }

  async advance(place: string): Promise<void> {
    await this.db.run('UPDATE transfers SET place = :place', { place });
  }

  /** Ends the migration: from now on, collectors may use the database. */
  async finish(): Promise<void> {
    await this.db.run('DELETE FROM ingest_batches WHERE batch_id LIKE :ids', { ids: `${TRANSFER_BATCH}%` });
    await this.db.run('DELETE FROM transfers');
  }

  private async listRows(sql: string, parameters: CopiedRow = {}): Promise<CopiedRow[]> {
    const rows = await this.db.all<Record<string, SqlValue | ArrayBuffer>>(sql, parameters);
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toValue(value)])),
    );
  }

  private findTable(name: string): CopiedTable {
    const table = listCopiedTables(this.db.dialect).find((one) => one.name === name);
    if (table === undefined) throw new TypeError(`No table ${name} is copied`);
    return table;
  }
}

/** Some engines return bytes as a buffer, but accept only views. */
function toValue(value: SqlValue | ArrayBuffer): SqlValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}
