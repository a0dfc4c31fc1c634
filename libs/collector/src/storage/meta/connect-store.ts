import type { MetaDatabase } from './meta-database.js';
import { runMethod, type StoreCall, type StoreName, STORES } from './stores.js';

type Store<Name extends StoreName> = InstanceType<(typeof STORES)[Name]>;

/** The methods of a store. */
export type ConnectedStore<Name extends StoreName> = Pick<Store<Name>, keyof Store<Name>>;

/**
 * A store whose methods run where the database is. Each writing method is one transaction. The others use a reader of the account,
 * which is their first argument.
 */
export function connectStore<Name extends StoreName>(
  store: Name,
  database: MetaDatabase,
): ConnectedStore<Name> {
  const { prototype, writes } = STORES[store] as { prototype: object; writes: readonly string[] };
  const methods = Object.getOwnPropertyNames(prototype).map((method) => {
    const call = (...values: unknown[]): Promise<unknown> => {
      const called: StoreCall = { store, method, values };
      const [account] = values;
      return writes.includes(method)
        ? database.write(called)
        : runMethod(database.reader(typeof account === 'string' ? account : ''), called);
    };
    return [method, call];
  });
  return Object.fromEntries(methods) as ConnectedStore<Name>;
}
