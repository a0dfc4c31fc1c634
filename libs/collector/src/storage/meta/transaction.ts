import type { Dialect } from './dialect.js';

export type SqlValue = string | number | null | Uint8Array;
/** What a statement takes: a boolean is 1 or 0, `undefined` is NULL. */
export type SqlParameter = SqlValue | boolean | undefined;
/** Values of a statement by name: `:name` in its text. */
export type Parameters = Readonly<Record<string, SqlParameter>>;

/**
 * What the stores of `MetaStore` are written against. A method that writes runs inside one transaction of the engine: it awaits
 * nothing but this, and may run again when the transaction has to be repeated.
 */
export abstract class MetaTransaction {
  abstract readonly dialect: Dialect;

  abstract all<R extends object>(sql: string, parameters?: Parameters): Promise<R[]>;

  /** @returns how many rows were inserted, updated or deleted */
  abstract run(sql: string, parameters?: Parameters): Promise<number>;

  /** The first row. */
  async get<R extends object>(sql: string, parameters?: Parameters): Promise<R | undefined> {
    const [row] = await this.all<R>(sql, parameters);
    return row;
  }

  /**
   * @param row values by column
   * @param onConflict what follows the values, such as `ON CONFLICT DO NOTHING`
   * @returns how many rows were inserted or updated
   */
  insert(table: string, row: Parameters, onConflict = ''): Promise<number> {
    return this.insertAll(table, [row], onConflict);
  }

  /** Like {@link insert}, for rows with the same columns. */
  async insertAll(table: string, rows: readonly Parameters[], onConflict = ''): Promise<number> {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map((column) => `:${column}`).join(', ');
    const sql = `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${values}) ${onConflict}`;
    let changed = 0;
    for (const row of rows) changed += await this.run(sql, row);
    return changed;
  }
}
