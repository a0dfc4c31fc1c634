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

  it('never show the values of one call for its reverse', () => {
    const [there, back] = [changed({ topic: 'a' }, { topic: 'b' }), changed({ topic: 'b' }, { topic: 'a' })];
    expect(summarize([there, back])).toEqual([{ length: 2, what: [{ path: '$.topic' }] }]);
    expect(summarize([there, there, back]).map(({ length }) => length)).toEqual([2, 1]);
  });

  it('show the place alone when several items of a list changed', () => {
    expect(summarize([changed([1, 2], [8, 9])])).toEqual([{ length: 1, what: [{ path: '$[]' }] }]);
  });

  it('show the place alone when a value is cut', () => {
    const [text, list] = ['a'.repeat(300), Array.from({ length: 300 }, (_, index) => index)];
    expect(summarize([changed({ text }, { text: 'b' })])).toEqual([
      { length: 1, what: [{ path: '$.text' }] },
    ]);
    expect(summarize([changed({ list }, { list: 'b' })])).toEqual([
      { length: 1, what: [{ path: '$.list' }] },
    ]);
  });

  it('show no place that the comparison ignored', () => {
    const ignoring = (...ignore: string[]): TestRunItemRecord => ({
      ...changed({ id: 1, topic: 'a' }, { id: 2, topic: 'b' }),
      compared_by: { ignore },
    });
    const topic = { path: '$.topic', baseline: '"a"', candidate: '"b"' };
    expect(summarize([ignoring('$.id', '$error.status')])).toEqual([{ length: 1, what: [topic] }]);
    expect(summarize([ignoring('id')])).toMatchObject([{ what: [{ path: '$.id' }, topic] }]);
  });

  it('have a title when their stored values are equal', () => {
    const equal = changed(1, 1);
    expect(summarize([{ ...equal, compared_by: { same: true } }, equal])).toEqual([
      { length: 1, what: 'Changed by its own comparison' },
      { length: 1, what: 'Changed, but the stored values are equal' },
    ]);
  });
});

describe('other calls', () => {
  it('with an error are grouped by its message, numbers aside', () => {
    expect(summarize([failed('No ticket 4'), failed('No ticket 17'), failed('Timed out')])).toEqual([
      { length: 2, what: 'TypeError: No ticket #' },
      { length: 1, what: 'TypeError: Timed out' },
    ]);
  });

  it('with errors of different HTTP statuses are in different groups', () => {
    const answer = (status: number, id: number) => failed(`Request ${id}: HTTP ${status}`);
    expect(summarize([answer(404, 1), answer(404, 27), answer(500, 4)])).toEqual([
      { length: 2, what: 'TypeError: Request #: HTTP 404' },
      { length: 1, what: 'TypeError: Request #: HTTP 500' },
    ]);
  });

  it('that fail as before with different inner calls are apart from new errors', () => {
    const asBefore: TestRunItemRecord = {
      ...failed('Timed out'),
      verdict: 'same',
      failing_as_before: true,
      divergence_count: 1,
    };
    const groups = groupChanges([failed('Timed out'), asBefore]);
    expect(groups.map(({ title, isError }) => ({ title, isError }))).toEqual([
      { title: 'TypeError: Timed out', isError: true },
      { title: 'Different inner calls', isError: false },
    ]);
  });

  it('that were erased keep their verdict', () => {
    expect(groupChanges([{ item_no: 0, verdict: 'error', erased: true }])).toMatchObject([
      { title: 'Erased, was error', isError: true, changes: [] },
    ]);
    expect(summarize([{ item_no: 0, verdict: 'changed', erased: true }])).toEqual([
      { length: 1, what: 'Erased, was changed' },
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
