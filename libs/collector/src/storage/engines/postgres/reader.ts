import { MetaTransaction, type Parameters } from '../../meta/transaction.js';
import type { PostgresConnection } from './connection.js';
import { POSTGRES_DIALECT } from './dialect.js';
import { numbered } from './meta-transaction.js';

/** For methods that read: each statement uses any free connection. */
export class PostgresReader extends MetaTransaction {
  readonly dialect = POSTGRES_DIALECT;

  constructor(private readonly connection: PostgresConnection) {
    super();
  }

  all<R extends object>(sql: string, parameters: Parameters = {}): Promise<R[]> {
    const { text, values } = numbered(sql, parameters);
    return this.connection.all<R>(text, values);
  }

  run(sql: string): Promise<number> {
    return Promise.reject(new TypeError(`A method that is not among the writes of its store ran ${sql}`));
  }
}
