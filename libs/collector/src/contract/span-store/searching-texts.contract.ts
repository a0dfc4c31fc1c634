import { LIMITS, type SpanData, type SpanRecord } from '@dacapo/protocol';
import { parseTextQuery } from '../../storage/rules/text-query.js';
import type { TraceFilter } from '../../storage/ports/trace-filter.js';
import { span, startedAt, unfinished } from '../records.js';
import { type OpenedSpanStore, PAGE, SpanStoreAccount } from './span-store-account.js';

const said = (text: string, more: Partial<SpanData> = {}): SpanData => ({ output: { text }, ...more });

export function describeSearchingTexts(opened: () => OpenedSpanStore): void {
  describe('searching texts', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    /** Names of the traces in the list, once it looks at all that was put. */
    const found = async (text: string, filter: TraceFilter = {}): Promise<string[]> => {
      for (;;) {
        const query = { ...filter, span: { ...filter.span, text: parseTextQuery(text) } };
        const page = await own.traces.list(own.account, query, PAGE);
        if (page.text_indexed_until === undefined) return page.items.map(({ name }) => name);
      }
    };

    it('finds a trace by words in the name, input, output, error or prompt of any span', async () => {
      const root = span({ name: 'root', trace_function_key: 'request', span_data: {} });
      const { trace_id } = root;
      const error = { name: 'TimeoutError', message: 'took ages' };
      await own.put([
        root,
        span({ trace_id, parent_id: root.id, name: 'Desk.answer', span_data: { input: [{ q: 'Refund?' }] } }),
        span({ trace_id, parent_id: root.id, span_data: { output: 4711, prompt: 'be kind' } }),
        span({ trace_id, parent_id: root.id, status: 'error', span_data: { error } }),
        span({ name: 'other', span_data: said('nothing') }),
      ]);
      for (const text of ['desk', 'refund', 'REFUND', '4711', '"be kind"', 'ages', 'timeouterror', 'ref*']) {
        expect([text, await found(text)]).toEqual([text, ['root']]);
      }
      expect(await found('q')).toEqual([]);
    });

    it('requires all words in one span, and a phrase in one text', async () => {
      await own.put([
        span({ name: 'phrase', started_at: startedAt(3), span_data: said('my parcel came too late') }),
        span({ name: 'words', started_at: startedAt(2), span_data: said('late parcels cost too much') }),
        span({ name: 'apart', started_at: startedAt(1), span_data: { input: ['too', 'late'] } }),
      ]);
      expect(await found('late too')).toEqual(['phrase', 'words', 'apart']);
      expect(await found('"too late"')).toEqual(['phrase']);
      expect(await found('too-late')).toEqual(['phrase']);
      expect(await found('parcel late')).toEqual(['phrase']);
      expect(await found('parcel* late')).toEqual(['phrase', 'words']);
      expect(await found('"late parc"')).toEqual([]);
    });

    it.each(['"', 'a" OR "b', 'words:x', 'NEAR(a b)', '^a', '- *', "'; DROP", '\\', '\u0000', '{a b}:c'])(
      'reads %j as words, not as syntax',
      async (text) => {
        await own.put([span({ name: 'plain', span_data: said('words near or drop') })]);
        expect(await found(text)).toEqual(expect.any(Array));
      },
    );

    it('finds accents, capitals, Chinese and Japanese', async () => {
      await own.put([
        span({
          name: 'all',
          span_data: said('Écrivez à Łódź. 我想退款，谢谢。返金をお願いします。한국어를'),
        }),
      ]);
      for (const text of ['ecrivez', 'ÉCRIVEZ', 'łódź', '退款', '返金', 'お願い', '한국*']) {
        expect([text, await found(text)]).toEqual([text, ['all']]);
      }
      expect(await found('款退')).toEqual([]);
    });

    it('searches the first characters of each field', async () => {
      const input = ['x '.repeat(LIMITS.searchedCharacters), 'beyond'];
      await own.put([span({ name: 'long', span_data: { input, output: 'within' } })]);
      expect(await found('within')).toEqual(['long']);
      expect(await found('beyond')).toEqual([]);
    });

    it('finds words of every conversation turn within the searched characters of a field', async () => {
      const turns = (name: string) =>
        Array.from({ length: 30 }, (_, n) => ({
          role: 'user',
          content: `${name}begin${n} ${'so '.repeat(n * 30)}${name}end${n}`,
        }));
      const input = [{ messages: turns('in'), tools: turns('tool') }];
      const output = { messages: turns('out') };
      const prompt = turns('said')
        .map(({ role, content }) => `${role}:\n${content}`)
        .join('\n\n');
      await own.put([span({ name: 'long', span_data: { input, output, prompt } })]);
      for (const field of [input, output, prompt]) {
        const text = JSON.stringify(field);
        for (const word of text.match(/(?:in|tool|out|said)(?:begin|end)\d+/g) ?? []) {
          const counts = text.indexOf(word) + word.length <= LIMITS.searchedCharacters;
          expect([word, await found(word)]).toEqual([word, counts ? ['long'] : []]);
        }
      }
    });

    it('combines with all other conditions on the same span, and with a key on one call', async () => {
      const a = span({ name: 'a', started_at: startedAt(2), span_data: said('late parcel') });
      const inner = {
        trace_id: a.trace_id,
        parent_id: a.id,
        trace_function_key: 'tool',
        type: 'function',
      } as const;
      const b = span({
        name: 'b',
        started_at: startedAt(1),
        status: 'error',
        span_data: said('late letter'),
      });
      await own.put(
        [a, span({ ...inner, name: 'fetch', span_data: said('weather') }), b],
        [{ id: a.trace_id, session_id: 's-1', metadata: { tier: 'gold' } }],
      );
      expect(await found('late')).toEqual(['a', 'b']);
      expect(await found('late', { session_id: 's-1' })).toEqual(['a']);
      expect(await found('late', { status: 'error' })).toEqual(['b']);
      expect(await found('late', { metadata: [{ path: ['tier'], values: ['gold'] }] })).toEqual(['a']);
      expect(await found('late', { since: startedAt(2) })).toEqual(['a']);
      expect(await found('late', { span: { name: 'fetch' } })).toEqual([]);
      expect(await found('weather', { span: { name: 'fetch', type: 'function' } })).toEqual(['a']);
      expect(await found('late', { traceFunctionKey: 'tool' })).toEqual([]);
      expect(await found('weather', { traceFunctionKey: 'tool' })).toEqual(['a']);
    });

    it('shows the call that matches, with the words marked', async () => {
      const request = span({
        name: 'POST /refunds',
        span_data: { input: [{ method: 'POST', path: '/refunds' }] },
      });
      const { trace_id } = request;
      const inside = (name: string, second: number, span_data: SpanData, more: Partial<SpanRecord> = {}) =>
        span({ trace_id, parent_id: request.id, name, started_at: startedAt(second), span_data, ...more });
      const image = `data:image/png;base64,${'iVBORw0KGgo9Zz'.repeat(3000)}`;
      const error = { name: 'LedgerLockTimeout', message: 'could not acquire the ledger lock' };
      const post = inside('post-refund', 6, { error }, { status: 'error' });
      await own.put([
        request,
        inside('read', 2, { input: [{ image, note: 'the Ledger of March' }] }),
        inside('refund', 5, { error }, { status: 'error', id: 'feedfeedfeedfeed' }),
        { ...post, parent_id: 'feedfeedfeedfeed' },
        span({ name: 'other', span_data: said('nothing') }),
      ]);
      const match = async (text: string, filter: TraceFilter = {}) => {
        await found(text);
        const query = { ...filter, span: { ...filter.span, text: parseTextQuery(text) } };
        const [trace] = (await own.traces.list(own.account, query, PAGE)).items;
        const { name, status, snippet } = trace?.first_call ?? {};
        const marked = snippet?.marks.map(([start, end]) => snippet.text.slice(start, end));
        return { name, status, field: snippet?.field, marked };
      };
      expect(await match('ledger')).toEqual({
        name: 'read',
        status: 'ok',
        field: 'input',
        marked: ['Ledger'],
      });
      expect(await match('ledger', { status: 'error' })).toEqual({
        name: 'post-refund',
        status: 'error',
        field: 'error',
        marked: ['ledger'],
      });
      expect(await match('"could not" acq*', { span: { name: 'refund' } })).toMatchObject({
        name: 'refund',
        marked: ['could not', 'acquire'],
      });
      expect(await match('refunds')).toMatchObject({ name: 'POST /refunds', marked: ['refunds'] });
    });

    it('shows the matching call of a trace with more spans than a page', async () => {
      const root = span({ name: 'root', span_data: {} });
      const { trace_id } = root;
      await own.put([
        root,
        ...Array.from({ length: 6_000 }, (_, index) =>
          span({
            trace_id,
            parent_id: root.id,
            name: `step ${index}`,
            started_at: startedAt(1),
            span_data: index === 5_500 ? said('the needle') : {},
          }),
        ),
      ]);
      await found('needle');
      const query = { span: { text: parseTextQuery('needle') } };
      const [trace] = (await own.traces.list(own.account, query, PAGE)).items;
      expect(trace?.first_call).toMatchObject({ name: 'step 5500', snippet: { text: 'the needle' } });
    });

    it('finds the final text of a span and no earlier one', async () => {
      if (!own.store.capabilities.mergesLateRecords) return;
      const call = span({ name: 'call', span_data: said('in the end') });
      await own.put([{ ...unfinished(call), span_data: { input: ['first'], output: 'draft' } }]);
      expect(await found('draft')).toEqual(['call']);
      await own.put([call]);
      expect(await found('draft')).toEqual([]);
      expect(await found('"in the end"')).toEqual(['call']);
    });

    it('shows one account nothing of another', async () => {
      const stranger = own.stranger();
      await own.put([span({ name: 'own', span_data: said('secret') })]);
      await stranger.put([span({ name: 'theirs', span_data: said('secret') })]);
      expect(await found('secret')).toEqual(['own']);
      expect(await found('sec*')).toEqual(['own']);
    });

    it('finds nothing deleted, and finds what arrives later', async () => {
      const spans = [1, 2, 3].map((second) =>
        span({ name: `t${second}`, started_at: startedAt(second), span_data: said(`both one${second}`) }),
      );
      await own.put(spans);
      expect(await found('both')).toEqual(['t3', 't2', 't1']);
      const deletion = { forgetAt: startedAt(59), mostSpans: 500 };
      const { deletions } = own.store;
      await deletions.deleteTraces(own.account, [spans[1]!.trace_id, spans[2]!.trace_id], deletion);
      expect(await found('both')).toEqual(['t1']);
      expect(await deletions.scrub()).toBeUndefined();
      await own.put([span({ name: 't4', started_at: startedAt(4), span_data: said('both one4') })]);
      expect(await found('both')).toEqual(['t4', 't1']);
      expect(await found('one3')).toEqual([]);
    });
  });
}
