import { extname, join } from 'node:path';
import { runMethod, type StoreCall, STORES } from '../../meta/stores.js';
import { MetaTransaction, type Parameters } from '../../meta/transaction.js';
import { bindNames, type NamedValues } from '../../meta/bind.js';
import { SQLITE_DIALECT } from './dialect.js';
import { TraceRemoval } from './spans/trace-removal.js';

/** A statement of the database thread. */
interface Prepared {
  statement: {
    all(values: NamedValues): object[];
    run(values: NamedValues): { changes: number };
  };
}

type Prepare = (sql: string) => Prepared;

/** This file, for the option `methods` of a connection. */
export const METHODS = join(__dirname, `run-methods${extname(__filename)}`);

/** The stores of `MetaStore`, and writes of the span store that run the same way. */
const METHODS_OF = { ...STORES, traceRemoval: TraceRemoval };

class ThreadTransaction extends MetaTransaction {
  readonly dialect = SQLITE_DIALECT;

  constructor(private readonly prepare: Prepare) {
    super();
  }

  async all<R extends object>(sql: string, parameters: Parameters = {}): Promise<R[]> {
    return this.prepare(sql).statement.all(bindNames(sql, parameters)) as R[];
  }

  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    return this.prepare(sql).statement.run(bindNames(sql, parameters)).changes;
  }
}

/** Runs in the database thread, which calls methods inside a transaction. */
export function openMethods(prepare: Prepare): (call: StoreCall) => Promise<unknown> {
  const transaction = new ThreadTransaction(prepare);
  return (call) => runMethod(transaction, call, METHODS_OF);
}
