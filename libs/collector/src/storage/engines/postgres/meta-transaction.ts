import type { PoolClient } from 'pg';
import { bindNames, PARAMETER, toSqlValue } from '../../meta/bind.js';
import { MetaTransaction, type Parameters } from '../../meta/transaction.js';
import { encodeArray } from './binary-array.js';
import { POSTGRES_DIALECT } from './dialect.js';
import type { Table } from './table.js';

/** Rows in a statement whose parameters are single values. */
const ROWS_AT_ONCE = 100;
/** PostgreSQL cuts longer names of statements. */
const NAME_LENGTH = 63;

/** An open transaction, for methods that write. */
export class PostgresTransaction extends MetaTransaction {
  readonly dialect = POSTGRES_DIALECT;

  constructor(private readonly client: PoolClient) {
    super();
  }

  async all<R extends object>(sql: string, parameters: Parameters = {}): Promise<R[]> {
    return (await this.client.query<R>(numbered(sql, parameters))).rows;
  }

  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    return (await this.client.query(numbered(sql, parameters))).rowCount ?? 0;
  }

  /** Inserts many rows with each statement. PostgreSQL updates no row twice in one, so updates go one by one. */
  override async insertAll(table: string, rows: readonly Parameters[], onConflict = ''): Promise<number> {
    if (rows.length < 2 || onConflict.includes('DO UPDATE')) return super.insertAll(table, rows, onConflict);
    const columns = Object.keys(rows[0] ?? {});
    let inserted = 0;
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const values = rows
        .slice(from, from + ROWS_AT_ONCE)
        .flatMap((row) => columns.map((column) => toSqlValue(row[column])));
      const tuples = Array.from(
        { length: values.length / columns.length },
        (_, row) => `(${columns.map((_column, n) => `$${row * columns.length + n + 1}`).join(', ')})`,
      );
      const { rowCount } = await this.client.query(
        `INSERT INTO ${table}(${columns.join(', ')}) VALUES ${tuples.join(', ')} ${onConflict}`,
        values,
      );
      inserted += rowCount ?? 0;
    }
    return inserted;
  }

  /**
   * Inserts rows in one statement, sorted by primary key, so that transactions that insert the same rows never deadlock.
   *
   * @param rows values by column; a missing column is NULL
   * @param onConflict SQL after the values, such as `ON CONFLICT DO NOTHING`
   * @returns the number of rows that were inserted or updated
   */
  async insertRows(table: Table, rows: readonly Parameters[], onConflict = ''): Promise<number> {
    if (rows.length === 0) return 0;
    const columns = Object.entries({ ...table.required, ...table.optional });
    const names = columns.map(([column]) => column).join(', ');
    const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`);
    const { rowCount } = await this.client.query({
      // Prepared once for each connection.
      name: `${table.name} ${onConflict.slice(0, NAME_LENGTH - table.name.length - 1)}`,
      text: `INSERT INTO ${table.name}(${names}) SELECT ${names} FROM unnest(${arrays.join(', ')}) AS row(${names})
        ${table.key.length === 0 ? '' : `ORDER BY ${table.key.join(', ')}`} ${onConflict}`,
      values: columns.map(([column, type]) =>
        encodeArray(
          type,
          rows.map((row) => row[column]),
        ),
      ),
    });
    return rowCount ?? 0;
  }
}

/** Replaces names of parameters by numbers. */
export function numbered(sql: string, parameters: Parameters): { text: string; values: unknown[] } {
  const named = bindNames(sql, parameters);
  const names = Object.keys(named);
  const text = sql.replace(PARAMETER, (_, name: string) => `$${names.indexOf(name) + 1}`);
  return { text, values: Object.values(named) };
}
