import { MetaTransaction, type Parameters } from '../../meta/transaction.js';
import { bindNames } from '../../meta/bind.js';
import type { Reader } from './connection.js';
import { SQLITE_DIALECT } from './dialect.js';

/** For methods that read: each statement runs on a reader's thread. */
export class ReadingTransaction extends MetaTransaction {
  readonly dialect = SQLITE_DIALECT;

  constructor(private readonly reader: Reader) {
    super();
  }

  async all<R extends object>(sql: string, parameters: Parameters = {}): Promise<R[]> {
    return this.reader.all<R>(sql, bindNames(sql, parameters));
  }

  run(sql: string): Promise<number> {
    return Promise.reject(new TypeError(`A method that is not among the writes of its store ran ${sql}`));
  }
}
