import { StorageError } from '../../../errors.js';
import { SystemClock } from '../../../clock.js';
import type { NewApiKey } from '../../meta/api-keys.js';
import type { Storage } from '../../storage.js';
import { openInMemoryStorage } from './open-in-memory-storage.js';

const AT = '2026-01-01T00:00:00.000000Z';
const newKey = (id: string, hash = id): NewApiKey => ({
  id,
  accountId: 'a',
  name: id,
  hint: 'h',
  scopes: ['read'],
  createdAt: AT,
  hash: new Uint8Array(32).fill(hash.charCodeAt(0)),
});

describe('methods of stores', () => {
  let storage: Storage;

  beforeEach(async () => {
    storage = await openInMemoryStorage(new SystemClock());
  });
  afterEach(() => storage.close());

  it('share a commit, and a failing one undoes only its own changes', async () => {
    const { apiKeys } = storage.meta;
    await apiKeys.create(newKey('a'));
    const results = await Promise.allSettled([
      apiKeys.create(newKey('b')),
      // Marks `a` as replaced, then fails: another key has this hash.
      apiKeys.replace('a', newKey('c', 'b'), AT),
      apiKeys.create(newKey('d')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const keys = await apiKeys.list('a');
    expect(keys.map(({ id }) => id)).toEqual(['a', 'b', 'd']);
    expect(keys[0]).not.toHaveProperty('replaced_by');
  });

  it('reject with a StorageError that has the code of SQLite', async () => {
    const { apiKeys } = storage.meta;
    await apiKeys.create(newKey('a'));
    const failing = apiKeys.create(newKey('a'));
    await expect(failing).rejects.toBeInstanceOf(StorageError);
    await expect(failing).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^SQLITE_CONSTRAINT/) },
    });
  });

  it('run in the order of their calls', async () => {
    const { functions } = storage.meta;
    const version = { name: 'f', source: '', entry: 'f', createdAt: AT };
    const added = await Promise.all(Array.from({ length: 20 }, () => functions.addVersion('a', version)));
    expect(added).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});
