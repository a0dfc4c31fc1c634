import type { TestRunItemRecord } from '@dacapo/protocol';
import { applyJudgements, describeJudged, ignorablePaths } from './judged-groups.js';

const item = (item_no: number, rest: Partial<TestRunItemRecord> = {}): TestRunItemRecord => ({
  item_no,
  verdict: 'changed',
  ...rest,
});

describe('a group of changes', () => {
  it('names its judgement when all calls have the same', () => {
    const describeAll = (...items: TestRunItemRecord[]) => describeJudged({ items });
    expect(describeAll(item(0), item(1))).toBeUndefined();
    expect(describeAll(item(0, { judgement: 'better' }), item(1, { judgement: 'better' }))).toBe('better');
    expect(describeAll(item(0, { ignored: true }))).toBe('ignored');
    expect(describeAll(item(0, { ignored: true, judgement: 'worse' }))).toBe('worse');
    expect(describeAll(item(0, { ignored: true }), item(1, { judgement: 'worse' }), item(2))).toBe(
      '2 of 3 judged',
    );
  });

  it.each([
    [['$.a'], ['$.a']],
    [
      ['$.items[].id', '$.b'],
      ['$.items[*].id', '$.b'],
    ],
    [['$'], undefined],
    [['$.items[]'], undefined],
    [['$.a', '$'], undefined],
    [[], undefined],
  ])('with changes at %j can ignore %j', (paths, ignorable) => {
    expect(ignorablePaths({ changes: paths.map((path) => ({ path })) })).toEqual(ignorable);
  });
});

describe('the items after a decision', () => {
  it('have its judgements', () => {
    const items = [item(0), item(0, { repetition: 1 }), item(1, { judgement: 'worse' })];
    const judged = applyJudgements(items, [
      { item_no: 0, repetition: 1, judgement: 'accepted' },
      { item_no: 1, judgement: 'none' },
      { item_no: 9, judgement: 'better' },
    ]);
    expect(judged).toEqual([item(0), item(0, { repetition: 1, judgement: 'accepted' }), item(1)]);
  });
});
