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
const failed = (changed: number, checks: Check[]) =>
  describeWithout(
    groups,
    { totals },
    { passed: false, gate: { errors: 2, changed }, checks: [check('changed', false), ...checks] },
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
    const figures = { passed: false, gate: { changed: 2 }, checks: [] };
    expect(describeWithout(groups, { totals }, figures)).toBeUndefined();
  });
});
