import fc from 'fast-check';
import type { RecordedDescendant } from '@dacapo/protocol';
import { findReordered } from './find-reordered.js';
import type { MadeCall } from './made-call.js';
import { type RecordedNode, RecordedTree } from './recorded-tree.js';

interface Recorded extends Partial<Omit<RecordedDescendant, 'span_id'>> {
  readonly span_id: string;
  /** Milliseconds. */
  readonly from?: number;
  readonly to?: number;
}

/** The recorded calls, each of a key of its own and below the replayed call by default, in the order in which they started. */
const record = (...calls: Recorded[]): RecordedTree =>
  new RecordedTree(
    'root',
    calls.map(({ from = 0, to = from, ...call }, index) => ({
      parent_id: 'root',
      trace_function_key: call.span_id,
      started_at: `2026-01-01T00:00:00.${String(from).padStart(3, '0')}${String(index).padStart(3, '0')}Z`,
      duration_ms: to - from,
      ...call,
    })) as RecordedDescendant[],
  );
const after = (predecessor: string | null): Pick<RecordedDescendant, 'meta'> => ({
  meta: { after: predecessor },
});

const made = (source: RecordedNode, parent: MadeCall | undefined, identity?: string): MadeCall => ({
  spanId: source.call?.span_id ?? 'root',
  type: 'function',
  usage: undefined,
  hasFailed: false,
  parent,
  path: source.path,
  source,
  isUnseen: false,
  isLookedUp: true,
  hasOtherArguments: false,
  args: identity === undefined ? undefined : { text: identity, identity },
  isMocked: false,
  isLive: false,
  unanswerable: undefined,
});

/** The reordered calls of a replay that made the calls in this order. */
function reordered(recorded: RecordedTree, ...spanIds: string[]): string[] {
  const calls = new Map<RecordedNode, MadeCall>([[recorded.root, made(recorded.root, undefined)]]);
  for (const id of spanIds) {
    const source = recorded.nodes.find(({ call }) => call?.span_id === id)!;
    calls.set(source, made(source, calls.get(source.parent!), source.args?.identity));
  }
  return findReordered([...calls.values()], recorded).map(({ spanId }) => spanId);
}

describe('a reordered call', () => {
  it('contradicts the noted order, whatever the recorded times are', () => {
    const recorded = record(
      { span_id: 'a', to: 30 },
      { span_id: 'b', to: 20, ...after('a') },
      { span_id: 'c', to: 10, ...after('b') },
    );
    expect(reordered(recorded, 'a', 'b', 'c')).toEqual([]);
    expect(reordered(recorded, 'c', 'a', 'b')).toEqual(['c']);
    expect(reordered(recorded, 'b', 'c', 'a')).toEqual(['a']);
    expect(reordered(recorded, 'c', 'b', 'a')).toHaveLength(2);
  });

  it('follows everything that its predecessor follows, also when that is not made any more', () => {
    const recorded = record(
      { span_id: 'a' },
      { span_id: 'b', ...after('a') },
      { span_id: 'c', ...after('b') },
    );
    expect(reordered(recorded, 'c', 'a')).toEqual(['a']);
    expect(reordered(recorded, 'a', 'c')).toEqual([]);
  });

  it('excludes two calls in different branches, even if the recorded ones did not overlap', () => {
    const recorded = record(
      { span_id: 'a1', from: 1, to: 2 },
      { span_id: 'b1', from: 3, to: 4, ...after(null) },
      { span_id: 'a2', from: 5, to: 6, ...after('a1') },
      { span_id: 'b2', from: 7, to: 8, ...after('b1') },
    );
    expect(reordered(recorded, 'b1', 'b2', 'a1', 'a2')).toEqual([]);
    expect(reordered(recorded, 'b1', 'a1', 'b2', 'a2')).toEqual([]);
    expect(reordered(recorded, 'b1', 'a2', 'b2', 'a1')).toEqual(['a1']);
  });

  it('is judged by times in a recording without notes, where no two siblings overlap', () => {
    const sequence = record(
      { span_id: 'a', from: 1, to: 2 },
      { span_id: 'b', from: 2, to: 4 },
      { span_id: 'c', from: 5, to: 6 },
    );
    expect(reordered(sequence, 'b', 'c', 'a')).toEqual(['a']);
    const overlapping = record(
      { span_id: 'a', from: 1, to: 2 },
      { span_id: 'b', from: 3, to: 5 },
      { span_id: 'c', from: 4, to: 6 },
    );
    expect(reordered(overlapping, 'c', 'b', 'a')).toEqual([]);
    const longFirst = record(
      { span_id: 'a', from: 1, to: 9 },
      { span_id: 'b', from: 2, to: 3 },
      { span_id: 'c', from: 5, to: 6 },
    );
    expect(reordered(longFirst, 'c', 'b', 'a')).toEqual([]);
    const unended = record({ span_id: 'a', from: 1 }, { span_id: 'b', from: 5, to: 6 });
    delete unended.nodes[0]!.call!.duration_ms;
    expect(reordered(unended, 'b', 'a')).toEqual([]);
  });

  it('excludes calls that took no time and began at one moment, without notes', () => {
    const at = { started_at: '2026-01-01T00:00:00.000001Z', duration_ms: 0 };
    expect(reordered(record({ span_id: 'a', ...at }, { span_id: 'b', ...at }), 'b', 'a')).toEqual([]);
  });

  it('excludes calls that a coarse clock may have separated, without notes', () => {
    const at = (ms: number): string => `2026-01-01T00:00:00.00${ms}Z`;
    const two = (ms: number): RecordedTree =>
      record(
        { span_id: 'a', started_at: at(1), duration_ms: 1 },
        { span_id: 'b', started_at: at(ms), duration_ms: 1 },
      );
    expect(reordered(two(2), 'b', 'a')).toEqual([]);
    expect(reordered(two(3), 'b', 'a')).toEqual(['a']);
  });

  it('is found among the calls below one parent, by the notes of that parent', () => {
    const recorded = record(
      { span_id: 'plan', from: 1, to: 9 },
      { span_id: 'x', parent_id: 'plan', from: 2, to: 3 },
      { span_id: 'y', parent_id: 'plan', from: 4, to: 5, ...after(null) },
      { span_id: 'send', from: 10, to: 11 },
    );
    expect(reordered(recorded, 'plan', 'y', 'x', 'send')).toEqual([]);
    expect(reordered(recorded, 'send', 'plan', 'y', 'x')).toEqual(['plan']);
    const [plan, x] = recorded.nodes;
    const root = made(recorded.root, undefined);
    const elsewhere = [made(recorded.nodes[3]!, root), made(x!, root), made(plan!, root)];
    expect(findReordered([root, ...elsewhere], recorded).map(({ spanId }) => spanId)).toEqual(['plan']);
    expect(findReordered([made(recorded.nodes[3]!, undefined), made(plan!, undefined)], recorded)).toEqual(
      [],
    );
  });

  it('is not looked for among calls that were recorded below another call', () => {
    const recorded = record(
      { span_id: 'plan' },
      { span_id: 'x', parent_id: 'plan' },
      { span_id: 'y', parent_id: 'plan', ...after('x') },
    );
    const root = made(recorded.root, undefined);
    const [x, y] = recorded.nodes.slice(1).map((node) => made(node, root));
    expect(findReordered([root, y!, x!], recorded)).toEqual([]);
  });

  it('excludes calls among which one was not recorded', () => {
    const recorded = record({ span_id: 'a' }, { span_id: 'b', ...after('a') });
    const root = made(recorded.root, undefined);
    const [a, b] = recorded.nodes.map((node) => made(node, root));
    const extra = { ...a!, source: undefined };
    const below = { ...extra, parent: extra };
    expect(findReordered([root, extra, a!, extra, below, b!], recorded)).toEqual([]);
    expect(findReordered([root, extra, b!, below, a!], recorded)).toEqual([a]);
  });

  it('excludes equal calls that the recording does not order: it is unknown which was made first', () => {
    const equal = { trace_function_key: 'ask', input: ['x'] };
    const concurrent = record(
      { span_id: 'a1', ...equal },
      { span_id: 'b1', ...equal, ...after(null) },
      { span_id: 'a2', ...after('a1') },
      { span_id: 'b2', ...after('b1') },
      { span_id: 'b3', ...after('b2') },
    );
    expect(reordered(concurrent, 'a1', 'b2', 'b1', 'a2')).toEqual([]);
    expect(reordered(concurrent, 'a1', 'b3', 'b1', 'b2')).toEqual(['b2']);
    const other = record(
      { span_id: 'a1', ...equal },
      { span_id: 'b1', ...equal, input: ['y'], ...after(null) },
      { span_id: 'b2', ...after('b1') },
    );
    expect(reordered(other, 'a1', 'b2', 'b1')).toEqual(['b1']);
    const repeated = record(
      { span_id: 'a1', ...equal },
      { span_id: 'a2', ...equal, ...after('a1') },
      { span_id: 'between', ...after('a2') },
      { span_id: 'a3', ...equal, ...after('between') },
    );
    expect(reordered(repeated, 'a1', 'a2', 'a3', 'between')).toEqual(['between']);
  });

  it('excludes two equal calls in different branches, one of which follows another call', () => {
    const equal = { trace_function_key: 'ask', input: ['x'] };
    const recorded = record(
      { span_id: 'a', ...equal },
      { span_id: 'plan', ...after(null) },
      { span_id: 'b', ...equal, ...after('plan') },
    );
    expect(reordered(recorded, 'b', 'plan', 'a')).toEqual([]);
  });

  it('excludes several calls at one place if it was made with arguments of none of them', () => {
    const ask = (input: string): Pick<Recorded, 'trace_function_key' | 'input'> => ({
      trace_function_key: 'ask',
      input: [input],
    });
    const recorded = record(
      { span_id: 'a', ...ask('x') },
      { span_id: 'b', ...ask('y'), ...after(null) },
      { span_id: 'c', ...after('a') },
    );
    const root = made(recorded.root, undefined);
    const [a, , c] = recorded.nodes;
    const replayed = (identity: string | undefined): string[] =>
      findReordered([root, made(c!, root), made(a!, root, identity)], recorded).map(({ spanId }) => spanId);
    expect(replayed(a!.args?.identity)).toEqual(['a']);
    expect(replayed('["z"]')).toEqual([]);
  });

  it('excludes several calls with unknown arguments, unless the recording orders all calls at their place', () => {
    const ask = { trace_function_key: 'ask', meta: { after: null, replayable: false } } as const;
    const recorded = record(
      { span_id: 'a', trace_function_key: 'ask', input: ['x'] },
      { span_id: 'b', ...ask },
      { span_id: 'c', ...after('b') },
    );
    expect(reordered(recorded, 'c', 'b')).toEqual([]);
    expect(reordered(record({ span_id: 'b', ...ask }, { span_id: 'c', ...after('b') }), 'c', 'b')).toEqual([
      'b',
    ]);
  });

  it('follows no note that names a later call, an unknown one or itself', () => {
    const recorded = record(
      { span_id: 'a', ...after('b') },
      { span_id: 'b', ...after('b') },
      { span_id: 'c', ...after('gone') },
    );
    expect(reordered(recorded, 'c', 'b', 'a')).toEqual([]);
  });

  it('belongs to the fewest that explain the order, however branches fork', () => {
    const forest = fc
      .array(fc.nat(), { maxLength: 8 })
      .chain((forks) =>
        fc.tuple(
          fc.constant(forks.map((fork, index) => (fork % (index + 1)) - 1)),
          fc.shuffledSubarray([...forks.keys()]),
        ),
      );
    fc.assert(
      fc.property(forest, ([predecessors, turns]) => {
        const recorded = record(
          ...predecessors.map((predecessor, index) => ({
            span_id: `${index}`,
            ...after(predecessor < 0 ? null : `${predecessor}`),
          })),
        );
        const isAfter = (one: number, other: number): boolean => {
          const before = predecessors[one] ?? -1;
          return before >= 0 && (before === other || isAfter(before, other));
        };
        const isInOrder = (calls: readonly number[]): boolean =>
          calls.every((one, at) => calls.slice(at + 1).every((other) => !isAfter(one, other)));
        const found = reordered(recorded, ...turns.map(String)).map(Number);
        expect(isInOrder(turns.filter((turn) => !found.includes(turn)))).toBe(true);
        let fewest = turns.length;
        for (let chosen = 0; chosen < 2 ** turns.length; chosen++) {
          const kept = turns.filter((_, index) => (chosen >> index) % 2 === 1);
          if (isInOrder(kept)) fewest = Math.min(fewest, turns.length - kept.length);
        }
        expect(found).toHaveLength(fewest);
      }),
      { numRuns: 400 },
    );
  });

  it('is found among ten thousand calls', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `${index}`);
    const recorded = record(
      ...ids.map((span_id, index) => ({ span_id, ...after(index === 0 ? null : `${index - 1}`) })),
    );
    const root = made(recorded.root, undefined);
    const calls = recorded.nodes.map((node) => made(node, root));
    expect(findReordered([root, ...calls.toReversed()], recorded)).toHaveLength(9_999);
    expect(findReordered([root, ...calls.slice(1), calls[0]!], recorded)).toEqual([calls[0]]);
  });
});
