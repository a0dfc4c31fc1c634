import type { PoolClient } from 'pg';
import { bindNames, PARAMETER, toSqlValue } from '../../meta/bind.js';
import { MetaTransaction, type Parameters } from '../../meta/transaction.js';
import { POSTGRES_DIALECT } from './dialect.js';
import type { Table } from './table.js';

/** What methods that write run on: a transaction that is open. */
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

  /**
   * Inserts rows in one statement, in the order of their primary keys: transactions that insert the same ones wait for each other, and
   * never in a circle.
   *
   * @param rows values by column; a column that is missing is NULL
   * @param onConflict what follows the values, such as `ON CONFLICT DO NOTHING`
   * @returns how many rows were inserted or updated
   */
  async insertRows(table: Table, rows: readonly Parameters[], onConflict = ''): Promise<number> {
    if (rows.length === 0) return 0;
    const columns = Object.entries({ ...table.required, ...table.optional });
    const names = columns.map(([column]) => column).join(', ');
    const arrays = columns.map(
      ([, type], index) => `$${index + 1}::${type === 'tsvector' ? 'text' : type}[]`,
    );
    const selected = columns.map(([column, type]) => (type === 'tsvector' ? `${column}::tsvector` : column));
    const { rowCount } = await this.client.query(
      `INSERT INTO ${table.name}(${names}) SELECT ${selected.join(', ')} FROM unnest(${arrays.join(', ')}) AS row(${names})
        ${table.key.length === 0 ? '' : `ORDER BY ${table.key.join(', ')}`} ${onConflict}`,
      columns.map(([column]) => rows.map((row) => toSqlValue(row[column]))),
    );
    return rowCount ?? 0;
  }
}

/** A statement whose parameters have numbers for names. */
export function numbered(sql: string, parameters: Parameters): { text: string; values: unknown[] } {
  const named = bindNames(sql, parameters);
  const names = Object.keys(named);
  const text = sql.replace(PARAMETER, (_, name: string) => `$${names.indexOf(name) + 1}`);
  return { text, values: Object.values(named) };
}
