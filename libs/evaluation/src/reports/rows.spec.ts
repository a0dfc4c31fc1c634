import { changed, item, makeReport, type SampleItem, side } from '../../test/sample-report.js';
import type { Gate } from '../gate/gate.js';
import { findCulprits, rowsToReview } from './rows.js';
import { collectChecks } from './words.js';

const scored = (itemNo: number, candidate: number | boolean, baseline?: number | boolean): SampleItem =>
  item(itemNo, {
    scores: [{ name: 'accuracy', score: candidate }],
    ...(baseline !== undefined && { originalScores: [{ name: 'accuracy', score: baseline }] }),
  });

const rowsFor = (items: SampleItem[], gate?: Gate): [string, number[]][] =>
  rowsToReview(makeReport(items, gate)).map(({ kind, items: [first, ...others] }) => [
    kind,
    [first, ...others].map(({ itemNo }) => itemNo),
  ]);

describe('The rows of a report', () => {
  it('start with new errors, and end with different inner calls', () => {
    const items = [
      item(0),
      item(1, { divergences: [{ kind: 'extra', path: ['mail'] }] }),
      item(2, { verdict: 'unknown' }),
      scored(3, 0.5, 1),
      changed(4, 'a', 'b'),
      item(5, { verdict: 'error', error: 'down' }),
      item(6, { verdict: 'error', error: 'down', newError: true }),
      item(7, { verdict: 'changed', fixed: true }),
    ];
    expect(rowsFor(items)).toEqual([
      ['newError', [6]],
      ['error', [5]],
      ['changed', [4]],
      ['lowerScore', [3]],
      ['unknown', [2]],
      ['diverged', [1]],
    ]);
  });

  it('include a lower score only if it failed a check, or without a gate', () => {
    const items = [scored(0, 0.5, 1), scored(1, 1, 1)];
    expect(rowsFor(items)).toEqual([['lowerScore', [0]]]);
    expect(rowsFor(items, { scores: { accuracy: { min: 0.1 } } })).toEqual([]);
    expect(rowsFor(items, { scores: { accuracy: { min: 0.9 } } })).toEqual([['lowerScore', [0]]]);
  });

  it('are ordered by the drop of the score', () => {
    const items = [scored(0, 0.9, 1), scored(1, 0, 1), scored(2, 0.5, 1)];
    expect(rowsFor(items).flatMap(([, numbers]) => numbers)).toEqual([1, 2, 0]);
  });

  it('group items that changed in the same way, the largest group first', () => {
    const items = [changed(0, 'a', 'c'), ...[1, 2, 3].map((itemNo) => changed(itemNo, 'a', 'b'))];
    expect(rowsFor(items)).toEqual([
      ['changed', [1, 2, 3]],
      ['changed', [0]],
    ]);
  });

  it.each<[string, SampleItem]>([
    ['another path', changed(1, 'a', 'b', '$.other')],
    ['another baseline', changed(1, 'x', 'b')],
    ['another output', changed(1, 'a', 'x')],
    [
      'another kind',
      {
        ...changed(1, 'a', 'b'),
        diff: [{ path: '$.label', kind: 'type', before: side('a'), now: side('b') }],
      },
    ],
    [
      'one more difference',
      {
        ...changed(1, 'a', 'b'),
        diff: [...changed(1, 'a', 'b').diff!, ...changed(1, 'a', 'b', '$.more').diff!],
      },
    ],
    ['another call inside', { ...changed(1, 'a', 'b'), divergences: [{ kind: 'extra', path: ['mail'] }] }],
    ['no baseline error any more', { ...changed(1, 'a', 'b'), fixed: true }],
  ])('do not group items with %s', (_, other) => {
    const rows = rowsFor([changed(0, 'a', 'b'), other]);
    expect(rows.find(([, numbers]) => numbers.includes(0))).toEqual(['changed', [0]]);
  });

  it('do not group cut values, which may differ beyond the cut', () => {
    expect(rowsFor([0, 1].map((itemNo) => changed(itemNo, 'a', 'long…')))).toHaveLength(2);
  });
});

describe('The items of a failed check', () => {
  const culprits = (items: SampleItem[], gate: Gate): number[][] => {
    const report = makeReport(items, gate);
    return collectChecks(report)
      .filter(({ passed }) => !passed)
      .map((check) => findCulprits(report, check).map(({ item: { itemNo } }) => itemNo));
  };

  it('are those below the minimum, the lowest first', () => {
    const items = [scored(0, 0.5), scored(1, 0), scored(2, 1), scored(3, 0.9)];
    expect(culprits(items, { scores: { accuracy: { min: 0.95 } } })).toEqual([[1, 0, 3]]);
  });

  it('are those that dropped, the largest drop first', () => {
    const items = Array.from({ length: 12 }, (_, itemNo) =>
      itemNo < 10 ? scored(itemNo, itemNo === 4 ? 0 : 0.5, 1) : scored(itemNo, 1, 0.9),
    );
    expect(culprits(items, { scores: { accuracy: { maxDrop: 0.1 } } })).toEqual([
      [4, 0, 1, 2, 3, 5, 6, 7, 8, 9],
    ]);
  });

  it('are those that lost their number', () => {
    const lost = item(1, {
      scores: [{ name: 'accuracy', score: null }],
      originalScores: [{ name: 'accuracy', score: 1 }],
    });
    expect(culprits([scored(0, 1, 1), lost], { scores: { accuracy: { min: 0.5 } } })).toEqual([[1]]);
  });
});
