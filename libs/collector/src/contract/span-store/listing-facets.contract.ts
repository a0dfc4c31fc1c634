import type { SpanRecord } from '@dacapo/protocol';
import type { SpanFacetQuery } from '../../storage/ports/facets.js';
import { span, startedAt } from '../records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

const trace = (number: number, changes: Partial<SpanRecord> = {}): SpanRecord =>
  span({ trace_id: `018f0000-0000-7000-8000-00000000000${number}`, ...changes });

export function describeListingFacets(opened: () => OpenedSpanStore): void {
  describe('values of filters', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    const values = async (query: SpanFacetQuery, limit = 50) =>
      own.store.listFacetValues(own.account, query, limit);
    const of = async (
      facet: 'name' | 'model' | 'tag' | 'user_id' | 'environment' | 'release' | 'metadata_path',
      prefix = '',
    ) => (await values({ of: facet, prefix })).items;
    const at = async (path: string, prefix = '') =>
      (await values({ of: 'metadata_value', path: path.split('.'), prefix })).items;

    const MODELS = ['gpt-5', 'claude', 'gpt-5-mini'];

    it('are each listed once, those of the newest traces first', async () => {
      await own.put(
        [0, 1, 2, 3].map((number) =>
          trace(number, {
            name: `step ${number % 2}`,
            span_data: { usage: { model: MODELS[number % 3] ?? '', input_tokens: 1 } },
          }),
        ),
      );
      expect(await of('name')).toEqual(['step 1', 'step 0']);
      expect(await of('model')).toEqual(['gpt-5', 'gpt-5-mini', 'claude']);
      expect(await of('model', 'gpt')).toEqual(['gpt-5', 'gpt-5-mini']);
      expect(await of('model', 'GPT')).toEqual([]);
      expect(await values({ of: 'model', prefix: '' }, 2)).toEqual({
        items: ['gpt-5', 'gpt-5-mini'],
        has_more: true,
      });
    });

    it('are users, environments, releases and single tags of traces', async () => {
      await own.put([
        trace(0, { started_at: startedAt(1), user_id: 'ann', environment: 'staging', tags: ['b', 'a'] }),
        trace(1, { started_at: startedAt(2), user_id: 'bob', release: '1.0', tags: ['b'] }),
        trace(2, { started_at: startedAt(3), user_id: 'ann', release: '1.1' }),
      ]);
      expect(await of('user_id')).toEqual(['ann', 'bob']);
      expect(await of('user_id', 'b')).toEqual(['bob']);
      expect(await of('environment')).toEqual(['staging']);
      expect(await of('release')).toEqual(['1.1', '1.0']);
      expect(await of('tag')).toEqual(['b', 'a']);
      expect(await of('user_id', '%')).toEqual([]);
    });

    it('of metadata are paths and their values in the form that a filter accepts', async () => {
      await own.put([
        trace(0, { trace_metadata: { tier: 'gold', user: { plan: 'pro', seats: 5 } } }),
        trace(1, {
          trace_metadata: { tier: 5, 'a.b': true, tags: ['x'], odd: '"5"', user: { plan: '5', seats: 5 } },
        }),
      ]);
      expect((await of('metadata_path')).toSorted()).toEqual([
        'a.b',
        'odd',
        'tier',
        'user.plan',
        'user.seats',
      ]);
      expect((await of('metadata_path', 'user.p')).toSorted()).toEqual(['user.plan']);
      expect(await at('tier')).toEqual(['5', 'gold']);
      expect(await at('tier', 'go')).toEqual(['gold']);
      expect(await at('user.plan')).toEqual(['"5"', 'pro']);
      expect(await at('user.seats')).toEqual(['5']);
      expect(await at('a.b')).toEqual(['true']);
      expect(await at('a.b', 'tr')).toEqual(['true']);
      expect(await at('odd')).toEqual([JSON.stringify('"5"')]);
      expect(await at('user')).toEqual([]);
    });

    it('match their traces when used as filters', async () => {
      const metadata = { tier: '5', open: true, text: 'two words', number: -1.5, nothing: null, is: 'null' };
      await own.put([trace(0, { name: 'found', trace_metadata: metadata })]);
      for (const name of await of('metadata_path')) {
        for (const text of await at(name)) {
          const value: unknown = name === 'tier' || name === 'is' ? JSON.parse(text) : undefined;
          if (value !== undefined) expect(metadata).toMatchObject({ [name]: value });
          else expect([name, text]).toEqual([name, String(metadata[name as 'open'])]);
        }
      }
    });

    it('are deleted with their traces, and belong to one account', async () => {
      await own.put([
        trace(0, { name: 'gone', trace_metadata: { tier: 'gold' } }),
        trace(1, { name: 'kept' }),
      ]);
      const stranger = own.stranger();
      expect(
        (await stranger.store.listFacetValues(stranger.account, { of: 'name', prefix: '' }, 9)).items,
      ).toEqual([]);
      const forgetAt = '2100-01-01T00:00:00.000000Z';
      const deletion = { forgetAt, mostSpans: 100 };
      await own.store.deletions.deleteTraces(own.account, [trace(0).trace_id], deletion);
      expect(await of('name')).toEqual(['kept']);
      expect(await at('tier')).toEqual([]);
    });
  });
}
