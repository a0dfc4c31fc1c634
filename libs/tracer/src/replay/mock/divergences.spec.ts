import type { RecordedCall, RecordedDescendant } from '@dacapo/protocol';
import { findDivergences } from './find-divergences.js';
import type { MadeCall } from './made-call.js';
import { type RecordedNode, RecordedTree } from './recorded-tree.js';

/** A call that was recorded from one millisecond to another. */
const recorded = (
  span_id: string,
  parent_id: string,
  trace_function_key: string,
  [from, to]: readonly [number, number],
  changes: Partial<RecordedDescendant> = {},
): RecordedDescendant =>
  ({
    span_id,
    parent_id,
    trace_function_key,
    duration_ms: to - from,
    started_at: `2026-01-01T00:00:00.${String(from).padStart(3, '0')}001Z`,
    ...changes,
  }) as RecordedDescendant;
const replayed = recorded('root', '', 'desk', [0, 100]) as RecordedCall;

const made = (
  spanId: string,
  parent: MadeCall | undefined,
  path: readonly string[],
  changes: Partial<MadeCall> = {},
): MadeCall => ({
  spanId,
  type: 'custom',
  usage: undefined,
  hasFailed: false,
  parent,
  path,
  args: undefined,
  isUnseen: false,
  source: undefined,
  isLookedUp: true,
  hasOtherArguments: false,
  isMocked: false,
  isLive: false,
  unanswerable: undefined,
  ...changes,
});
const args = (...values: string[]): MadeCall['args'] => {
  const text = JSON.stringify(values);
  return { text, identity: text };
};
/** The recorded call, which is found. */
const taken = (tree: RecordedTree, spanId: string): RecordedNode => {
  const node = tree.nodes.find(({ call }) => call?.span_id === spanId)!;
  node.isTaken = true;
  return node;
};

describe('a divergence', () => {
  const tree = (...calls: RecordedDescendant[]) => {
    const of = new RecordedTree('root', calls);
    return { tree: of, desk: made('desk', undefined, [], { source: of.root }) };
  };

  it('reports place, spans and arguments of a call made with other arguments below the same call', () => {
    const { tree: of, desk } = tree(
      recorded('p1', 'root', 'plan', [1, 20]),
      recorded('p2', 'root', 'plan', [21, 60]),
      recorded('x1', 'p1', 'mail', [2, 3], { input: ['bib'] }),
      recorded('x2', 'p2', 'mail', [22, 23], { input: ['bob'] }),
      recorded('x3', 'p2', 'search', [24, 25], { input: ['bib'] }),
    );
    const one = made('one', desk, ['plan'], { source: taken(of, 'p1') });
    const two = made('two', desk, ['plan'], { source: taken(of, 'p2') });
    const mail = made('mail', two, ['plan', 'mail'], { args: args('bib') });
    expect(findDivergences(replayed, of, [desk, one, two, mail])).toEqual([
      {
        kind: 'changed_arguments',
        path: ['plan', 'mail'],
        spanId: 'mail',
        newArguments: '["bib"]',
        sourceSpanId: 'x2',
        recordedArguments: '["bob"]',
      },
      { kind: 'missing', path: ['plan', 'mail'], sourceSpanId: 'x1', recordedArguments: '["bib"]' },
      { kind: 'missing', path: ['plan', 'search'], sourceSpanId: 'x3', recordedArguments: '["bib"]' },
    ]);
  });

  it('reports no missing arguments', () => {
    const { tree: of, desk } = tree(
      recorded('a', 'root', 'mail', [1, 2], { input: ['ann'] }),
      recorded('b', 'root', 'mail', [3, 4], { meta: { replayable: false } }),
      recorded('c', 'root', 'call', [5, 6], { meta: { replayable: false } }),
    );
    const unknown = made('1', desk, ['mail'], { source: taken(of, 'a'), hasOtherArguments: true });
    const known = made('2', desk, ['mail'], {
      source: taken(of, 'b'),
      hasOtherArguments: true,
      args: args('bob'),
    });
    const extra = made('3', desk, ['search']);
    expect(findDivergences(replayed, of, [desk, unknown, known, extra])).toEqual([
      {
        kind: 'changed_arguments',
        path: ['mail'],
        spanId: '1',
        sourceSpanId: 'a',
        recordedArguments: '["ann"]',
      },
      {
        kind: 'changed_arguments',
        path: ['mail'],
        spanId: '2',
        newArguments: '["bob"]',
        sourceSpanId: 'b',
      },
      { kind: 'extra', path: ['search'], spanId: '3' },
      { kind: 'missing', path: ['call'], sourceSpanId: 'c' },
    ]);
  });

  it('reports what differs in long arguments', () => {
    const long = 'x'.repeat(2000);
    const { tree: of, desk } = tree(recorded('a', 'root', 'mail', [1, 2], { input: [`${long}ann`] }));
    const mail = made('1', desk, ['mail'], { args: args(`${long}bob`) });
    const before = 'x'.repeat(120);
    expect(findDivergences(replayed, of, [desk, mail])).toMatchObject([
      { newArguments: `…${before}bob"]`, recordedArguments: `…${before}ann"]` },
    ]);
  });

  it('reports the recorded call of one that cannot be answered or has another position, if there is one', () => {
    const { tree: of, desk } = tree(
      recorded('a', 'root', 'mail', [1, 2]),
      recorded('b', 'root', 'mail', [3, 4]),
    );
    const later = made('1', desk, ['mail'], { source: taken(of, 'b') });
    const earlier = made('2', desk, ['mail'], { source: taken(of, 'a'), unanswerable: 'it was cut' });
    const another = made('3', desk, ['call'], { unanswerable: 'it is not there' });
    const found = findDivergences(replayed, of, [desk, later, earlier, another]);
    expect(found).toEqual([
      { kind: 'unanswerable', path: ['mail'], spanId: '2', sourceSpanId: 'a', reason: 'it was cut' },
      { kind: 'unanswerable', path: ['call'], spanId: '3', reason: 'it is not there' },
      { kind: 'extra', path: ['call'], spanId: '3' },
      { kind: 'reordered', path: ['mail'], spanId: '2', sourceSpanId: 'a' },
    ]);
  });

  it('is no call that began when the one around it had ended, nor one of another service', () => {
    const { tree: of, desk } = tree(
      recorded('plan', 'root', 'plan', [10, 50]),
      recorded('in time', 'plan', 'mail', [49, 60]),
      recorded('late', 'plan', 'mail', [50, 60]),
      recorded('last', 'root', 'mail', [99, 200]),
      recorded('too late', 'root', 'mail', [100, 200]),
      recorded('elsewhere', 'root', 'mail', [20, 30], { meta: { remote_parent: true } }),
    );
    const plan = made('plan', desk, ['plan'], { source: taken(of, 'plan') });
    const missing = findDivergences(replayed, of, [desk, plan]).map(({ sourceSpanId }) => sourceSpanId);
    expect(missing).toEqual(['in time', 'last']);
  });

  it('are not searched below a mocked call, or one without a counterpart', () => {
    const { tree: of, desk } = tree(
      recorded('plan', 'root', 'plan', [10, 50]),
      recorded('x', 'plan', 'mail', [11, 12]),
    );
    const plan = made('plan', desk, ['plan'], { source: taken(of, 'plan'), isMocked: true });
    const fresh = made('fresh', desk, ['fresh']);
    const below = made('below', fresh, ['fresh', 'mail']);
    expect(findDivergences(replayed, of, [desk, plan, fresh, below])).toEqual([
      { kind: 'extra', path: ['fresh'], spanId: 'fresh' },
    ]);
  });

  it('exclude calls where nothing is recorded, unless they were to be mocked', () => {
    const { tree: of, desk } = tree();
    const unseen = made('unseen', desk, ['mail'], { isUnseen: true });
    const mocked = made('mocked', desk, ['mail'], { isUnseen: true, isMocked: true });
    expect(findDivergences(replayed, of, [desk, unseen, mocked])).toMatchObject([{ spanId: 'mocked' }]);
  });
});
