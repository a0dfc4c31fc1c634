import type { RecordedDescendant } from '@dacapo/protocol';
import { measureCoarseness, readTimes } from './recorded-times.js';
import { ANY, RecordedTree } from './recorded-tree.js';

const call = (
  span_id: string,
  parent_id: string,
  trace_function_key: string,
  changes: Partial<RecordedDescendant> = {},
): RecordedDescendant =>
  ({
    trace_id: 't',
    span_id,
    parent_id,
    trace_function_key,
    type: 'function',
    status: 'ok',
    started_at: '2026-01-01T00:00:00.000001Z',
    ...changes,
  }) as RecordedDescendant;
const idsAt = (tree: RecordedTree, ...path: string[]): unknown[] =>
  tree.at(path).map((node) => node.call?.span_id);

describe('the recorded calls below one', () => {
  it('are on their paths, those on one path in order, even if a child began before its parent', () => {
    const tree = new RecordedTree('root', [
      call('c', 'b', 'search'),
      call('b', 'root', 'plan'),
      call('d', 'root', 'search'),
      call('e', 'b', 'search'),
    ]);
    expect(idsAt(tree, 'plan')).toEqual(['b']);
    expect(idsAt(tree, 'plan', 'search')).toEqual(['c', 'e']);
    expect(idsAt(tree, 'search')).toEqual(['d']);
    expect(idsAt(tree, 'search', 'plan')).toEqual([]);
    expect(tree.nodes.map((node) => node.parent?.call?.span_id)).toEqual(['b', undefined, undefined, 'b']);
    expect(tree.nodes[1]!.parent).toBe(tree.root);
  });

  it('have a path of their own when their ancestors are missing or form a circle', () => {
    const tree = new RecordedTree('root', [
      call('a', 'gone', 'search'),
      call('b', 'c', 'plan'),
      call('c', 'b', 'plan'),
    ]);
    expect(idsAt(tree, 'search')).toEqual(['a']);
    expect(idsAt(tree, 'plan')).toEqual(['c']);
    expect(idsAt(tree, 'plan', 'plan')).toEqual(['b']);
  });

  it('are each used once: by their arguments, those below the same call first', () => {
    const tree = new RecordedTree('root', [
      call('p1', 'root', 'plan'),
      call('p2', 'root', 'plan'),
      call('x1', 'p1', 'mail', { input: ['ann'] }),
      call('x2', 'p2', 'mail', { input: ['ann'] }),
      call('x3', 'p2', 'mail', { input: ['bob'] }),
      call('x4', 'p2', 'mail', { meta: { replayable: false } }),
    ]);
    const path = ['plan', 'mail'];
    const second = tree.nodes[1];
    const take = (identity: string | typeof ANY | undefined): unknown =>
      tree.take(path, second, identity)?.call?.span_id;
    expect(take('["ann"]')).toBe('x2');
    expect(take('["ann"]')).toBe('x1');
    expect(take('["ann"]')).toBeUndefined();
    expect(take(undefined)).toBeUndefined();
    expect(take(ANY)).toBe('x3');
    expect(take('["bob"]')).toBeUndefined();
    expect(take(ANY)).toBe('x4');
    expect(take(ANY)).toBeUndefined();
  });
});

describe('the replayed call itself', () => {
  it('is above the recorded ones, at the path of none, and is used', () => {
    const { root } = new RecordedTree('root', []);
    expect(root).toMatchObject({ path: [], isTaken: true });
    expect(root.parent).toBeUndefined();
  });
});

describe('recorded times', () => {
  it('are microseconds; a call that never ended has no end', () => {
    const at = { started_at: '1970-01-01T00:00:01.000002Z' };
    expect(readTimes(call('a', 'b', 'k', { ...at, duration_ms: 1.5 }))).toEqual({
      startUs: 1_000_002,
      endUs: 1_001_502,
    });
    expect(readTimes(call('a', 'b', 'k', at))).toEqual({ startUs: 1_000_002, endUs: Infinity });
  });

  it('may be off by a millisecond where all of several are whole ones', () => {
    const whole = call('a', 'b', 'k', { started_at: '2026-01-01T00:00:00.001Z' });
    const exact = call('a', 'b', 'k');
    expect(measureCoarseness([whole, whole])).toBe(1000);
    expect(measureCoarseness([whole, exact])).toBe(0);
    expect(measureCoarseness([whole])).toBe(0);
    expect(measureCoarseness([])).toBe(0);
  });
});
