import { span } from '../records.js';
import { PAGE, type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeTenants(opened: () => OpenedSpanStore): void {
  describe('tenants', () => {
    let own: SpanStoreAccount;
    let stranger: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
      stranger = own.stranger();
    });

    it('may use the same trace and span ids', async () => {
      const mine = span({ name: 'mine' });
      await own.put([mine]);
      await stranger.put([{ ...mine, name: 'theirs' }]);
      expect((await own.findSpan(mine.trace_id, mine.id))?.name).toBe('mine');
      expect((await stranger.findSpan(mine.trace_id, mine.id))?.name).toBe('theirs');
    });

    it('see nothing of each other', async () => {
      const mine = span();
      await own.put([mine], [{ id: mine.trace_id, session_id: 's-1' }]);
      const { store, account } = stranger;
      expect(await store.findTrace(account, mine.trace_id)).toBeUndefined();
      expect(await stranger.findSpan(mine.trace_id, mine.id)).toBeUndefined();
      expect(await store.listNodes(account, [mine.trace_id])).toEqual([]);
      expect(await store.readTraces(account, [mine.trace_id])).toEqual([]);
      expect(await stranger.names()).toEqual([]);
      expect(await store.listTraceFunctionKeys(account)).toEqual([]);
      expect(await store.listSessions(account, {}, PAGE)).toEqual({ sessions: [] });
      expect(await stranger.listCalls()).toEqual([]);
      expect(await stranger.listCalls([mine.trace_id])).toEqual([]);
    });

    it('are deleted with all their data, and other accounts stay whole', async () => {
      const mine = span();
      await own.put([mine], [{ id: mine.trace_id, session_id: 's-1', metadata: { a: 1 } }], 'batch-1');
      await stranger.put([mine]);
      await own.store.deleteAccount(own.account);
      expect(await own.store.findTrace(own.account, mine.trace_id)).toBeUndefined();
      expect(await own.store.listTraceFunctionKeys(own.account)).toEqual([]);
      expect(await stranger.names()).toEqual(['answer']);
      expect(await stranger.findSpan(mine.trace_id, mine.id)).toEqual(mine);
    });
  });
}
