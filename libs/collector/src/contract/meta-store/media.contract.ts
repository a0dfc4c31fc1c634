import { newTraceId } from '@dacapo/protocol';
import type { MediaOutcome, MediaUse, ReceivedMedia } from '../../storage/meta/media.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, at, deleteAccount } from './meta-store-account.js';

const FOREVER = '2999-01-01T00:00:00.000000Z';
const ROOM = { limitBytes: 10, receivedAt: at(1) };

export function describeMedia(opened: () => MetaStore): void {
  describe('media', () => {
    let store: MetaStore;
    let account: string;
    let traceId: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      traceId = newTraceId();
    });

    const media = (id: string, size: number, more: Partial<ReceivedMedia> = {}): ReceivedMedia => ({
      id,
      type: 'image/png',
      size,
      traceId,
      bytes: new Uint8Array(size).fill(7),
      ...more,
    });
    const withoutBytes = ({ id, type, size, traceId: of }: ReceivedMedia): ReceivedMedia => ({
      id,
      type,
      size,
      traceId: of,
    });
    const put = (...all: ReceivedMedia[]): Promise<MediaOutcome[]> => store.media.put(account, all, ROOM);

    it('return their bytes, and are stored once for all traces that refer to them', async () => {
      const other = newTraceId();
      const reference = withoutBytes(media('m', 4, { traceId: other }));
      expect(await put(reference)).toEqual(['unknown']);
      expect(await put(media('m', 4), reference)).toEqual(['stored', 'stored']);
      const found = await store.media.find(account, 'm');
      expect(found).toEqual({ id: 'm', type: 'image/png', size: 4, bytes: new Uint8Array(4).fill(7) });
      expect((await store.media.list(account, [traceId, other])).map((use) => use.traceId).sort()).toEqual(
        [traceId, other].sort(),
      );
      expect(await store.media.find(await addAccount(store), 'm')).toBeUndefined();
    });

    it('keep type and size when the account is full, and their bytes otherwise', async () => {
      const [first, second] = [media('m-1', 8), media('m-2', 4)];
      expect(await put(first, second)).toEqual(['stored', 'full']);
      expect(await store.media.find(account, 'm-2')).toEqual({ id: 'm-2', type: 'image/png', size: 4 });
      expect(await put(withoutBytes(second))).toEqual(['full']);
      await store.media.release(account, [traceId]);
      expect(await put(second)).toEqual(['stored']);
    });

    it('stay while a trace or a dataset item refers to them', async () => {
      const [other, id] = [newTraceId(), newTraceId()];
      await put(media(id, 1), media(id, 1, { traceId: other }), media('unused', 1));
      await store.datasets.create(account, { name: 'd', createdAt: at(1) });
      const item = { id: 'i', input: [{ media: { id, type: 'image/png', size: 1 } }] };
      const add = (async function* () {
        yield await Promise.resolve([{ item }]);
      })();
      await store.datasets.change(account, 'd', { add, remove: [], createdAt: at(2) });
      await store.media.release(account, [traceId]);
      expect(await store.media.find(account, 'unused')).toBeUndefined();
      await store.media.release(account, [other]);
      expect(await store.media.find(account, id)).toBeDefined();
      const unused = async () => (await store.media.listUnused()).filter((one) => one.accountId === account);
      expect(await unused()).toEqual([]);
      await store.datasets.delete(account, 'd');
      expect(await unused()).toEqual([{ accountId: account, id }]);
      await store.media.removeUnused(account, [id]);
      expect(await store.media.find(account, id)).toBeUndefined();
    });

    it('are not stored for a deleted trace', async () => {
      await store.scores.deleteOfTraces(account, [traceId], { forgetAt: FOREVER });
      expect(await put(media('m', 1))).toEqual(['deleted']);
      expect(await store.media.find(account, 'm')).toBeUndefined();
    });

    it('list the traces that refer to them, page by page, and only those before a time on request', async () => {
      const traceIds = [traceId, newTraceId(), newTraceId()].sort();
      await put(...traceIds.map((one) => media('m', 1, { traceId: one })));
      const list = async (before: string): Promise<string[]> => {
        const uses: MediaUse[] = [];
        let page: MediaUse[];
        do {
          const after = uses.at(-1) ?? { accountId: account, traceId: '' };
          page = await store.media.listUses(before, { limit: 2, after });
          uses.push(...page);
        } while (page.length > 0);
        return uses.filter((use) => use.accountId === account).map((use) => use.traceId);
      };
      expect(await list(at(2))).toEqual(traceIds);
      expect(await list(at(1))).toEqual([]);
    });

    it('are deleted with their account', async () => {
      await put(media('m', 1));
      await deleteAccount(store, account);
      expect(await store.media.find(account, 'm')).toBeUndefined();
      expect(await store.media.list(account, [traceId])).toEqual([]);
    });
  });
}
