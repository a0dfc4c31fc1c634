import type { StoreCall } from './stores.js';
import type { MetaTransaction } from './transaction.js';

export interface StoreHealth {
  /** The end of the last check of all data; absent before the first one, and for a database server. */
  checkedAt?: string;
}

/** The part of an engine that `MetaStore` uses. */
export interface MetaDatabase {
  /**
   * Runs a method of a store in one transaction, and resolves with its result after the commit.
   *
   * @throws StorageError if nothing was written; after a lost connection, it may have been
   */
  write(call: StoreCall): Promise<unknown>;
  /**
   * Returns a transaction that reads what is committed. Its `run` throws.
   *
   * @param account the account whose turn a read takes; empty for the service itself
   */
  reader(account: string): MetaTransaction;
  /** @throws StorageError if the store cannot be read or written; the class of the error is the reason */
  ping(): Promise<StoreHealth>;
  /**
   * Removes deleted data from logs and files of the store. Tries once and delays no write.
   *
   * @returns a phrase that names what blocks it; `undefined` when nothing is left
   */
  scrub(): Promise<string | undefined>;
}
