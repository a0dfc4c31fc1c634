import type { StoreCall } from './stores.js';
import type { MetaTransaction } from './transaction.js';

export interface StoreHealth {
  /** When all that is stored was looked through last; absent when it was not yet, or another program looks after it. */
  checkedAt?: string;
}

/** What an engine provides for `MetaStore`. */
export interface MetaDatabase {
  /**
   * Runs a method of a store in one transaction, and resolves with its result after the commit.
   *
   * @throws StorageError after which nothing of it is done; where the connection was lost, it may be
   */
  write(call: StoreCall): Promise<unknown>;
  /**
   * Sees what was committed before. Its `run` throws.
   *
   * @param account whose turn a read takes; that of the service when empty
   */
  reader(account: string): MetaTransaction;
  /** @throws StorageError when the store cannot be read or written: the kind of error says why */
  ping(): Promise<StoreHealth>;
  /**
   * Removes what was deleted from logs and files of the store. One try, which delays no write.
   *
   * @returns what it waits for, a phrase; undefined when nothing is left
   */
  scrub(): Promise<string | undefined>;
}
