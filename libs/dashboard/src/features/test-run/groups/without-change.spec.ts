import type { Check } from '@dacapo/evaluation';
import type { TestRunItemRecord, TestRunTotals } from '@dacapo/protocol';
import { groupChanges } from './group-changes.js';
import { describeWithout } from './without-change.js';

const CHANGED = 8;
const totals: TestRunTotals = {
  items: 10,
  same: 0,
  changed: CHANGED,
  unknown: 0,
  error: 2,
  fixed: 0,
  failing_as_before: 0,
  accepted: 0,
  diverged: 0,
  flaky: 0,
  new_errors: 0,
};
const items = Array.from({ length: CHANGED }, (_, item_no): TestRunItemRecord => {
  const changed = item_no < 6 ? { version: '2', topic: 'a' } : { version: '1', topic: 'b' };
  return { item_no, verdict: 'changed', original_output: { version: '1', topic: 'a' }, result: changed };
});
const groups = groupChanges(items);

const check = (name: string, passed: boolean): Check => ({
  name,
  passed,
  limit: '',
  measured: '',
  failures: [],
});
const run = { status: 'finished', totals } as const;
const makeFigures = (changed: number, checks: Check[] = [], failures: string[] = []) => ({
  passed: false,
  gate: { errors: 2, changed },
  checks: [check('changed', false), ...checks],
  failures,
});
const failed = (changed: number, checks: Check[]) =>
  describeWithout(groups, run, makeFigures(changed, checks));
const describeItems = (makeItem: (itemNo: number) => Partial<TestRunItemRecord>) =>
  describeWithout(
    groupChanges(items.map((item) => ({ ...item, ...makeItem(item.item_no) }))),
    run,
    makeFigures(2),
  );

describe('ignoring the largest change of a failed run', () => {
  it('lets it pass when the other changes are within the limit', () => {
    expect(failed(2, [])).toBe('Without version: 2 changed, 2 errors: would pass.');
  });

  it('does not when the other changes are beyond it', () => {
    expect(failed(1, [])).toBe('Without version: 2 changed, 2 errors: still fails.');
  });

  it('does not when a check of another kind failed', () => {
    expect(failed(2, [check('scores.accuracy.min', false)])).toMatch(/still fails/);
  });

  it('is not described when the client stored no checks', () => {
    const figures = { passed: false, gate: { changed: 2 }, checks: [], failures: [] };
    expect(describeWithout(groups, run, figures)).toBeUndefined();
  });

  it('does not when the run failed for a reason without a check', () => {
    expect(describeWithout(groups, run, makeFigures(2, [], ['2 items were refused.']))).toMatch(
      /still fails/,
    );
  });

  it('is not described while the run is not decided', () => {
    for (const status of ['running', 'interrupted'] as const)
      expect(describeWithout(groups, { status, totals }, makeFigures(2))).toBeUndefined();
  });

  it('covers every call that changed only there', () => {
    const described = describeItems((itemNo) => ({
      result: { version: itemNo < 6 ? '2' : '3', topic: 'a' },
    }));
    expect(described).toBe('Without version: 0 changed, 2 errors: would pass.');
  });

  it('covers no call that changed elsewhere too', () => {
    const described = describeItems((itemNo) => ({
      result: { version: '2', topic: itemNo < 5 ? 'a' : 'b' },
    }));
    expect(described).toBe('Without version: 3 changed, 2 errors: still fails.');
  });

  it('is not described when the whole output or an item of a list changed', () => {
    expect(describeItems(() => ({ result: 'billing' }))).toBeUndefined();
    expect(
      describeItems(() => ({ original_output: { tags: ['a'] }, result: { tags: ['b'] } })),
    ).toBeUndefined();
  });

  it('covers no call that the client compared in its own way', () => {
    const described = describeItems((itemNo) => ({
      result: { version: '2', topic: 'a' },
      ...(itemNo < 3 && { compared_by: { same: true } }),
    }));
    expect(described).toBe('Without version: 3 changed, 2 errors: still fails.');
  });
});
