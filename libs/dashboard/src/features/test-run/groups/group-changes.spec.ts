import type { JsonValue, TestRunItemRecord } from '@dacapo/protocol';
import { groupChanges } from './group-changes.js';

let itemNo = 0;
const changed = (original_output: JsonValue, result: JsonValue): TestRunItemRecord => ({
  item_no: (itemNo += 1),
  verdict: 'changed',
  original_output,
  result,
});
const failed = (message: string): TestRunItemRecord => ({
  item_no: (itemNo += 1),
  verdict: 'error',
  error: { name: 'TypeError', message },
});
const summarize = (items: TestRunItemRecord[]) =>
  groupChanges(items).map(({ title, changes, items: { length } }) => ({ length, what: title ?? changes }));

describe('changed calls', () => {
  it('are in one group when the same value became the same other value', () => {
    const version = (id: number) => changed({ id, version: '1' }, { id, version: '2' });
    const category = changed({ category: 'other' }, { category: 'billing' });
    expect(summarize([category, version(1), version(2)])).toEqual([
      { length: 2, what: [{ path: '$.version', baseline: '"1"', candidate: '"2"' }] },
      { length: 1, what: [{ path: '$.category', baseline: '"other"', candidate: '"billing"' }] },
    ]);
  });

  it('show the place alone of values that differ from call to call', () => {
    const answer = (no: number) =>
      changed({ topic: 'a', text: `Old ${no}` }, { topic: 'b', text: `New ${no}` });
    expect(summarize([answer(1), answer(2), answer(3)])).toEqual([
      {
        length: 3,
        what: [{ path: '$.topic', baseline: '"a"', candidate: '"b"' }, { path: '$.text' }],
      },
    ]);
  });

  it('are apart when a value with few variants became another', () => {
    const to = (topic: string) => changed({ topic: 'a' }, { topic });
    expect(summarize([to('b'), to('b'), to('b'), to('c')]).map(({ length }) => length)).toEqual([3, 1]);
  });

  it('are in one group whichever item of a list changed', () => {
    expect(summarize([changed([1, 2], [9, 2]), changed([2, 1], [2, 9])])).toHaveLength(1);
  });
});

describe('other calls', () => {
  it('with an error are grouped by its message, numbers aside', () => {
    expect(summarize([failed('No ticket 4'), failed('No ticket 17'), failed('Timed out')])).toEqual([
      { length: 2, what: 'TypeError: No ticket #' },
      { length: 1, what: 'TypeError: Timed out' },
    ]);
  });

  it('are in no group when they are the same', () => {
    expect(summarize([{ item_no: 0, verdict: 'same', original_output: 1, result: 1 }])).toEqual([]);
  });

  it('with the same outcome are grouped when their inner calls differ', () => {
    expect(summarize([{ item_no: 0, verdict: 'same', divergence_count: 2 }])).toEqual([
      { length: 1, what: 'Different inner calls' },
    ]);
  });
});
