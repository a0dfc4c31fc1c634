import type { FunctionVersionSummary, MetricsItem } from '@dacapo/protocol';
import { markReleases, markVersions, placeMarks } from './marks.js';
import { chooseCompared, findRollback } from './versions.js';

const AT = '2026-01-31T12:00:00.000000Z';
const version = (no: number, activatedAt: string[] = [], isActive = false): FunctionVersionSummary => ({
  name: 'F',
  entry: 'F',
  version: no,
  created_at: AT,
  is_active: isActive,
  activated_at: activatedAt,
});

describe('findRollback', () => {
  it('returns the newest earlier version that calls ran before', () => {
    const versions = [version(4, [AT], true), version(3), version(2, [AT]), version(1, [AT])];
    expect(findRollback(versions)?.version).toBe(2);
  });

  it('goes on backwards after a roll back, and ends at the first version that ran', () => {
    expect(findRollback([version(3, [AT]), version(2, [AT], true), version(1, [AT])])?.version).toBe(1);
    expect(findRollback([version(3, [AT]), version(2, [AT], true), version(1)])).toBeUndefined();
    expect(findRollback([version(1)])).toBeUndefined();
    expect(findRollback([])).toBeUndefined();
  });
});

describe('chooseCompared', () => {
  it('compares the active version with the one to roll back to', () => {
    expect(chooseCompared([version(3), version(2, [AT], true), version(1, [AT])])).toEqual([1, 2]);
  });

  it('compares the newest two if nothing can be rolled back, and nothing with a single version', () => {
    expect(chooseCompared([version(3), version(2, [AT], true), version(1)])).toEqual([2, 3]);
    expect(chooseCompared([version(1, [AT], true)])).toBeUndefined();
  });
});

describe('marks', () => {
  const item = (at: string, group: string | null): MetricsItem => ({
    at,
    group,
    calls: 1,
    errors: 0,
    model_calls: 0,
    input_tokens: 0,
    output_tokens: 0,
  });
  const hour = (no: number): string => `2026-01-31T0${no}:00:00.000000Z`;

  it('are where a release was called first, unless it may have begun before', () => {
    const items = [
      item(hour(1), '1.0'),
      item(hour(2), null),
      item(hour(3), '1.0'),
      item(hour(4), '1.1'),
      item(hour(3), '1.1'),
    ];
    expect(markReleases(items)).toEqual([{ at: hour(3), label: 'release 1.1' }]);
  });

  it('are at each activation of a version', () => {
    expect(markVersions([version(2, [hour(2)]), version(1, [hour(3), hour(1)])])).toHaveLength(3);
  });

  it('have a place in the period, in the order of time', () => {
    const marks = [hour(3), hour(1), hour(5)].map((at) => ({ at, label: at }));
    expect(placeMarks(marks, { since: hour(1), until: hour(4) }).map(({ share }) => share)).toEqual([
      0,
      2 / 3,
    ]);
  });
});
