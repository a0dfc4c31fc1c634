import type { Dialect } from './dialect.js';

export type SqlValue = string | number | null | Uint8Array;
/** A value for a statement: a boolean becomes 1 or 0, `undefined` becomes NULL. */
export type SqlParameter = SqlValue | boolean | undefined;
/** Values of a statement by name: `:name` in its text. */
export type Parameters = Readonly<Record<string, SqlParameter>>;

/**
 * The interface that the stores of `MetaStore` use. A writing method runs in one transaction of the engine. It awaits nothing else, and
 * may run again if the transaction is repeated.
 */
export abstract class MetaTransaction {
  abstract readonly dialect: Dialect;

  abstract all<R extends object>(sql: string, parameters?: Parameters): Promise<R[]>;

  /** @returns the number of rows that were inserted, updated or deleted */
  abstract run(sql: string, parameters?: Parameters): Promise<number>;

  /** The first row. */
  async get<R extends object>(sql: string, parameters?: Parameters): Promise<R | undefined> {
    const [row] = await this.all<R>(sql, parameters);
    return row;
  }

  /**
   * @param row values by column
   * @param onConflict SQL after the values, such as `ON CONFLICT DO NOTHING`
   * @returns the number of rows that were inserted or updated
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
