import type { MetaStore } from '../../storage/meta/meta-store.js';
import { digestGroup } from '../../storage/ports/trace-deletion.js';
import { addAccount, at } from './meta-store-account.js';

const FOREVER = '2999-01-01T00:00:00.000000Z';

export function describeArrivals(opened: () => MetaStore): void {
  describe('arrivals', () => {
    let store: MetaStore;
    let account: string;
    let stranger: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      stranger = await addAccount(store);
    });

    const digest = digestGroup({ by: 'session_id', id: 's' });

    it('know a batch of their account from the time it is noted until it is forgotten', async () => {
      const { arrivals } = store;
      const batch = { batchId: 'b', receivedUs: 5 };
      expect(await arrivals.isKnown(account, 'b')).toBe(false);
      expect(await arrivals.noteBatch(account, batch)).toBe(true);
      expect(await arrivals.noteBatch(account, batch)).toBe(false);
      expect(await arrivals.noteBatch(stranger, batch)).toBe(true);
      expect(await arrivals.isKnown(account, 'b')).toBe(true);
      await arrivals.noteBatch(account, { batchId: 'c', receivedUs: 6, forgetBeforeUs: 6 });
      expect(await arrivals.isKnown(account, 'b')).toBe(false);
      expect(await arrivals.isKnown(account, 'c')).toBe(true);
    });

    it('find the deleted traces, sessions and users of their account', async () => {
      const { arrivals } = store;
      const asked = { traceIds: ['t-1', 't-2'], digests: [digest, 'other'] };
      const traces = { traceIds: ['t-1'], forgetAt: FOREVER, part: 'p', counts: {} };
      await arrivals.deleteTraces(account, traces);
      await arrivals.deleteGroup(
        account,
        { by: 'session_id', id: 's' },
        { deletedAt: at(7), forgetAt: FOREVER },
      );
      expect(await arrivals.findDeleted(account, asked)).toEqual({
        traceIds: ['t-1'],
        groups: [[digest, 7e6]],
      });
      expect(await arrivals.findDeleted(stranger, asked)).toEqual({ traceIds: [], groups: [] });
      await arrivals.deleteAccount(account);
      expect(await arrivals.findDeleted(account, asked)).toEqual({ traceIds: [], groups: [] });
    });

    it('count a part of a deletion once, however often it is repeated', async () => {
      const { arrivals } = store;
      const traces = { traceIds: ['t-1'], forgetAt: FOREVER, deletionId: 'd' };
      const counts = { traces: 1, spans: 3 };
      await arrivals.deleteTraces(account, { ...traces, part: 'first', counts });
      await arrivals.deleteTraces(account, { ...traces, part: 'first', counts });
      await arrivals.deleteTraces(account, { ...traces, part: 'second', counts: { traces: 2, spans: 0 } });
      expect(await arrivals.counts(account, 'd')).toEqual({ traces: 3, spans: 3 });
      expect(await store.copies.counts(account, 'd')).toEqual({ traces: 3, spans: 3 });
    });
  });
}
