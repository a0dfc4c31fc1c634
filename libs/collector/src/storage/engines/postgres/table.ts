export type ColumnType = 'text' | 'bigint' | 'double precision';

/** A table for `PostgresTransaction.insertRows`. */
export interface Table {
  readonly name: string;
  /** Columns of its primary key, in order. */
  readonly key: readonly string[];
  readonly required: Readonly<Record<string, ColumnType>>;
  readonly optional?: Readonly<Record<string, ColumnType>>;
}

export function toCreateTable({ name, key, required, optional = {} }: Table): string {
  const columns = (of: Readonly<Record<string, ColumnType>>, end: string): string[] =>
    Object.entries(of).map(
      ([column, type]) => `${column} ${type}${type === 'text' ? ' COLLATE "C"' : ''}${end}`,
    );
  const keys = key.length === 0 ? [] : [`PRIMARY KEY(${key.join(', ')})`];
  return `CREATE TABLE ${name}(${[...columns(required, ' NOT NULL'), ...columns(optional, ''), ...keys].join(', ')})`;
}
