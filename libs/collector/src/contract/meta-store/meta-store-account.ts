import { formatTimestamp } from '@dacapo/protocol';
import { createHash } from 'node:crypto';
import type { NewApiKey } from '../../storage/meta/api-keys.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';

export const PAGE = { limit: 50 };

/** A time some seconds after the epoch. */
export function at(second: number): string {
  return formatTimestamp(second * 1e6);
}

export function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

let made = 0;

/** Makes an account that no other test uses; gives its id. */
export async function addAccount(store: MetaStore): Promise<string> {
  const id = `acc_${String(++made).padStart(4, '0')}`;
  await store.accounts.create({ id, name: 'n', created_at: at(made) });
  return id;
}

/** Deletes an account, and then all that it owned. */
export async function deleteAccount(store: MetaStore, accountId: string): Promise<void> {
  expect(await store.accounts.delete(accountId)).toBe(true);
  while (!(await store.accounts.deleteOwned(accountId, 2)));
}

export function newKey(id: string, accountId: string, more: Partial<NewApiKey> = {}): NewApiKey {
  return {
    id,
    accountId,
    name: 'n',
    hint: 'h',
    hash: hash(id),
    scopes: ['ingest', 'read'],
    createdAt: at(1),
    ...more,
  };
}

export function addKey(
  store: MetaStore,
  id: string,
  accountId: string,
  more?: Partial<NewApiKey>,
): Promise<void> {
  return store.apiKeys.create(newKey(id, accountId, more));
}

/** A browser session until the tenth second; its id and its secret are `id`. */
export function addSession(
  store: MetaStore,
  id: string,
  accountId: string,
  more: { keyId?: string; memberId?: string; browser?: string } = {},
): Promise<void> {
  const session = { id, accountId, createdAt: at(1), expiresAt: at(10), ...more };
  return store.signIns.addSession(hash(id), session);
}
