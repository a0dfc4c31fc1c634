import { changed, item, reportOf, type SampleItem, side } from '../../test/sample-report.js';
import type { Gate } from '../gate/gate.js';
import { culpritsOf, rowsOf } from './rows.js';
import { checksOf } from './words.js';

const scored = (itemNo: number, candidate: number | boolean, baseline?: number | boolean): SampleItem =>
  item(itemNo, {
    scores: [{ name: 'accuracy', score: candidate }],
    ...(baseline !== undefined && { originalScores: [{ name: 'accuracy', score: baseline }] }),
  });

const rowsFor = (items: SampleItem[], gate?: Gate): [string, number[]][] =>
  rowsOf(reportOf(items, gate)).map(({ kind, items: [first, ...others] }) => [
    kind,
    [first, ...others].map(({ itemNo }) => itemNo),
  ]);

describe('the rows of a report', () => {
  it('begin with new errors, and end with other calls inside', () => {
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

  it('have a lower score only where it failed a check, or there is no gate', () => {
    const items = [scored(0, 0.5, 1), scored(1, 1, 1)];
    expect(rowsFor(items)).toEqual([['lowerScore', [0]]]);
    expect(rowsFor(items, { scores: { accuracy: { min: 0.1 } } })).toEqual([]);
    expect(rowsFor(items, { scores: { accuracy: { min: 0.9 } } })).toEqual([['lowerScore', [0]]]);
  });

  it('are ordered by how far a score fell', () => {
    const items = [scored(0, 0.9, 1), scored(1, 0, 1), scored(2, 0.5, 1)];
    expect(rowsFor(items).flatMap(([, numbers]) => numbers)).toEqual([1, 2, 0]);
  });

  it('are one for items that changed in the same way, the largest group first', () => {
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
  ])('are two for items with %s', (_, other) => {
    const rows = rowsFor([changed(0, 'a', 'b'), other]);
    expect(rows.find(([, numbers]) => numbers.includes(0))).toEqual(['changed', [0]]);
  });

  it('are two for values that were cut, which may differ behind the cut', () => {
    expect(rowsFor([0, 1].map((itemNo) => changed(itemNo, 'a', 'long…')))).toHaveLength(2);
  });
});

describe('the items behind a failed check', () => {
  const culprits = (items: SampleItem[], gate: Gate): number[][] => {
    const report = reportOf(items, gate);
    return checksOf(report)
      .filter(({ passed }) => !passed)
      .map((check) => culpritsOf(report, check).map(({ item: { itemNo } }) => itemNo));
  };

  it('of a minimum are those below it, the lowest first', () => {
    const items = [scored(0, 0.5), scored(1, 0), scored(2, 1), scored(3, 0.9)];
    expect(culprits(items, { scores: { accuracy: { min: 0.95 } } })).toEqual([[1, 0, 3]]);
  });

  it('of a drop are those that fell, the farthest first', () => {
    const items = Array.from({ length: 12 }, (_, itemNo) =>
      itemNo < 10 ? scored(itemNo, itemNo === 4 ? 0 : 0.5, 1) : scored(itemNo, 1, 0.9),
    );
    expect(culprits(items, { scores: { accuracy: { maxDrop: 0.1 } } })).toEqual([
      [4, 0, 1, 2, 3, 5, 6, 7, 8, 9],
    ]);
  });

  it('of a lost score are those that had a number', () => {
    const lost = item(1, {
      scores: [{ name: 'accuracy', score: null }],
      originalScores: [{ name: 'accuracy', score: 1 }],
    });
    expect(culprits([scored(0, 1, 1), lost], { scores: { accuracy: { min: 0.5 } } })).toEqual([[1]]);
  });
});
