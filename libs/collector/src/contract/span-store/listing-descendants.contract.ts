import { InvalidCursorError } from '../../errors.js';
import { newSpanId } from '@dacapo/protocol';
import { NotFoundException } from '@nestjs/common';
import { span, startedAt, unfinished } from '../records.js';
import { PAGE, type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeListingDescendants(opened: () => OpenedSpanStore): void {
  describe('listing descendants', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    it('returns the calls below a span at any depth, by start time, with payloads', async () => {
      const root = span({ trace_function_key: 'request' });
      const { trace_id } = root;
      const call = span({ trace_id, parent_id: root.id, started_at: startedAt(1) });
      const beside = span({ trace_id, parent_id: root.id, started_at: startedAt(2) });
      const second = span({ trace_id, parent_id: call.id, name: 'second', started_at: startedAt(4) });
      const first = span({
        trace_id,
        parent_id: call.id,
        trace_function_key: 'mail.send',
        started_at: startedAt(3),
        span_data: { input: ['ann'], output: 7, prompt: 'left out', meta: { sync: true } },
      });
      const deep = unfinished(span({ trace_id, parent_id: first.id, started_at: startedAt(5) }));
      await own.put([deep, second, beside, root, first, call]);
      const page = await own.trees.listDescendants(own.account, trace_id, call.id, PAGE);
      expect(page.items.map(({ span_id }) => span_id)).toEqual([first.id, second.id, deep.id]);
      expect(page.next_cursor).toBeUndefined();
      expect(page.items[0]).toEqual({
        trace_id,
        span_id: first.id,
        parent_id: call.id,
        trace_function_key: 'mail.send',
        name: 'answer',
        type: 'llm',
        status: 'ok',
        started_at: first.started_at,
        duration_ms: 1500,
        input: ['ann'],
        output: 7,
        meta: { sync: true },
      });
    });

    it('returns an empty page for a span without inner calls, and nothing for an unknown span', async () => {
      const leaf = span();
      await own.put([leaf]);
      const { account, trees } = own;
      expect(await trees.listDescendants(account, leaf.trace_id, leaf.id, PAGE)).toEqual({ items: [] });
      const missing = trees.listDescendants(account, leaf.trace_id, newSpanId(), PAGE);
      await expect(missing).rejects.toThrow(NotFoundException);
    });

    it('rejects the cursor of another span', async () => {
      const leaf = span();
      await own.put([leaf]);
      const cursor = Buffer.from(JSON.stringify([newSpanId()])).toString('base64url');
      const page = own.trees.listDescendants(own.account, leaf.trace_id, leaf.id, { limit: 1, cursor });
      await expect(page).rejects.toThrow(InvalidCursorError);
    });

    it('ends when the parents in a trace form a circle', async () => {
      const a = span({ id: '00000000000000a1', parent_id: '00000000000000a2' });
      const b = span({ trace_id: a.trace_id, id: '00000000000000a2', parent_id: a.id });
      await own.put([a, b]);
      const page = await own.trees.listDescendants(own.account, a.trace_id, a.id, PAGE);
      expect(page.items.map(({ span_id }) => span_id)).toEqual([b.id]);
    });

    it.each([
      ['the limit is reached', 'x', 2],
      ['their payloads are great', 'x'.repeat(7 * 1024 * 1024), 5],
    ])('ends a page when %s, and goes on where it ended', async (_, output, limit) => {
      const root = span();
      const inner = [1, 1, 2].map((second) =>
        span({
          trace_id: root.trace_id,
          parent_id: root.id,
          started_at: startedAt(second),
          span_data: { output },
        }),
      );
      await own.put([root, ...inner]);
      const pageFrom = (cursor?: string) =>
        own.trees.listDescendants(own.account, root.trace_id, root.id, {
          limit,
          ...(cursor !== undefined && { cursor }),
        });
      const first = await pageFrom();
      const rest = await pageFrom(first.next_cursor);
      expect(first.items).toHaveLength(2);
      expect(rest.next_cursor).toBeUndefined();
      const ids = [...first.items, ...rest.items].map(({ span_id }) => span_id);
      expect(ids).toEqual(inner.map(({ id }) => id));
    });
  });
}
