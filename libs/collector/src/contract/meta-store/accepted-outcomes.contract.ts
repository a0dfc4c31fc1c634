import type { NewAcceptance } from '../../storage/meta/accepted-outcomes.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, at, deleteAccount } from './meta-store-account.js';

export function describeAcceptedOutcomes(opened: () => MetaStore): void {
  describe('accepted outcomes', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const acceptance = { author: { kind: 'person', name: 'ann' }, accepted_at: at(1), note: 'n' } as const;
    const accept = (output: string, rest: Partial<NewAcceptance> = {}) =>
      store.accepted.add(account, {
        traceFunctionKey: 'k',
        source: 'call/t/s',
        testRunId: 'r',
        item: [0, 0],
        acceptance,
        outcome: { output },
        ...rest,
      });
    const inForce = async (source = 'call/t/s', key = 'k', owner = account) => {
      const number = (await store.accepted.findInForce(owner, key, [source, 'call/none'])).get(source);
      return number === undefined ? undefined : (await store.accepted.read(owner, [number])).get(number);
    };

    it('are returned as they were accepted, by key and source', async () => {
      const outcome = {
        error: { name: 'E', message: 'm' },
        meta: { output: { types: { '': 'Date' } } },
      };
      await accept('a', { outcome });
      expect(await inForce()).toEqual(outcome);
      expect(await inForce('call/t/other')).toBeUndefined();
      expect(await inForce('call/t/s', 'other')).toBeUndefined();
    });

    it('replace an earlier accepted outcome, which returns when they are withdrawn', async () => {
      await accept('first');
      await accept('second', { testRunId: 'later', item: [3, 1] });
      expect(await inForce()).toEqual({ output: 'second' });
      expect(await store.accepted.takeBack(account, 'later', [3, 0], at(2))).toBe(false);
      expect(await store.accepted.takeBack(account, 'later', [3, 1], at(2))).toBe(true);
      expect(await store.accepted.takeBack(account, 'later', [3, 1], at(2))).toBe(false);
      expect(await inForce()).toEqual({ output: 'first' });
    });

    it('can be read by number after they are withdrawn', async () => {
      await accept('a');
      const [number = -1] = (await store.accepted.findInForce(account, 'k', ['call/t/s'])).values();
      await store.accepted.takeBack(account, 'r', [0, 0], at(2));
      expect(await store.accepted.read(account, [number, 999_999])).toEqual(
        new Map([[number, { output: 'a' }]]),
      );
    });

    it('are listed with the items that they were accepted from', async () => {
      await accept('a');
      await accept('b', { item: [1, 2], source: 'item/i' });
      const list = (...items: [number, number][]) => store.accepted.listOfItems(account, 'r', items);
      expect(await list([0, 0], [1, 0], [1, 2])).toEqual([
        { item: [0, 0], acceptance },
        { item: [1, 2], acceptance },
      ]);
      await store.accepted.takeBack(account, 'r', [0, 0], at(2));
      expect(await list([0, 0])).toEqual([]);
    });

    it('belong to one account, and are deleted with it', async () => {
      const stranger = await addAccount(store);
      await accept('mine');
      const [number = -1] = (await store.accepted.findInForce(account, 'k', ['call/t/s'])).values();
      expect(await inForce('call/t/s', 'k', stranger)).toBeUndefined();
      expect(await store.accepted.read(stranger, [number])).toEqual(new Map());
      expect(await store.accepted.takeBack(stranger, 'r', [0, 0], at(2))).toBe(false);
      expect(await store.accepted.listOfItems(stranger, 'r', [[0, 0]])).toEqual([]);
      await deleteAccount(store, account);
      expect(await inForce()).toBeUndefined();
      expect(await store.accepted.read(account, [number])).toEqual(new Map());
    });
  });
}
