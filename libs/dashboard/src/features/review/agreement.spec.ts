import type { ScoreRecord, ScoreValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { compareWithJudge, targetId } from './agreement.js';
import { findScale, SCALES, toChoice } from './scale.js';

const YES_NO = findScale('yes-no');
const ONE_TO_FIVE = findScale('1-5');

const score = (
  trace: string,
  kind: ScoreRecord['author']['kind'],
  value: ScoreValue,
  name: string = kind,
): ScoreRecord => ({
  id: `${trace} ${name}`,
  name: 'correct',
  value,
  trace_id: trace,
  author: { kind, name },
  created_at: '2026-01-01T00:00:00.000000Z',
});

describe('the choice that a score means', () => {
  it.each<[ScoreValue, string | undefined]>([
    [true, 'yes'],
    [false, 'no'],
    ['Yes', 'yes'],
    ['no', 'no'],
    [1, 'yes'],
    [0.5, 'yes'],
    [0.49, 'no'],
    [0, 'no'],
    [4, undefined],
    ['perhaps', undefined],
    [null, undefined],
  ])('is, for yes or no, of %p %p', (value, expected) => {
    expect(toChoice(YES_NO, value)?.label).toBe(expected);
  });

  it.each<[ScoreValue, string | undefined]>([
    [1, '1'],
    [3.6, '4'],
    [5, '5'],
    [0, undefined],
    [6, undefined],
    [true, undefined],
    [null, undefined],
  ])('is, from 1 to 5, of %p %p', (value, expected) => {
    expect(toChoice(ONE_TO_FIVE, value)?.label).toBe(expected);
  });
});

describe('people and the judge', () => {
  it('are compared where both scored, by their newest scores', () => {
    const { pairs, disagreements, table, agreement } = compareWithJudge(
      [
        score('a', 'person', true, 'Ann'),
        score('a', 'person', false, 'Bob'),
        score('a', 'evaluator', 0.9),
        score('b', 'person', false),
        score('b', 'evaluator', 'yes'),
        score('c', 'person', true),
        score('d', 'evaluator', true),
        score('e', 'person', null),
        score('e', 'evaluator', true),
        score('f', 'program', true),
        score('f', 'evaluator', true),
      ],
      YES_NO,
    );
    expect(pairs.map(({ person }) => person.id)).toEqual(['a Ann', 'b person']);
    expect(disagreements.map(({ judge }) => judge.trace_id)).toEqual(['b']);
    expect(table).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(agreement.n).toBe(2);
  });

  it('are compared only on the same target', () => {
    const span = { ...score('a', 'person', true), span_id: '0000000000000001' };
    expect(compareWithJudge([span, score('a', 'evaluator', true)], YES_NO).pairs).toEqual([]);
    expect(targetId(span)).not.toBe(targetId(score('a', 'person', true)));
  });

  it('agree as a direct computation from the table says', () => {
    const scale = fc.constantFrom(...SCALES);
    const ratings = scale.chain((one) => {
      const choice = fc.constantFrom(...one.choices);
      return fc.tuple(fc.constant(one), fc.array(fc.tuple(choice, choice), { maxLength: 60 }));
    });
    fc.assert(
      fc.property(ratings, ([one, pairs]) => {
        const scores = pairs.flatMap(([person, judge], at) => [
          score(`trace ${at}`, 'person', person.value),
          score(`trace ${at}`, 'evaluator', judge.value),
        ]);
        const { table, agreement, disagreements } = compareWithJudge(scores, one);
        const n = pairs.length;
        const same = table.reduce((sum, row, at) => sum + (row[at] ?? 0), 0);
        expect(agreement.n).toBe(n);
        expect(disagreements).toHaveLength(n - same);
        expect(table.flat().reduce((sum, count) => sum + count, 0)).toBe(n);
        if (n === 0) return;
        const byChance = one.choices.reduce((sum, _, at) => {
          const people = (table[at] ?? []).reduce((all, count) => all + count, 0);
          const judge = table.reduce((all, row) => all + (row[at] ?? 0), 0);
          return sum + (people / n) * (judge / n);
        }, 0);
        if (agreement.kappa === null) expect(byChance).toBeCloseTo(1, 9);
        else expect(agreement.kappa).toBeCloseTo((same / n - byChance) / (1 - byChance), 9);
      }),
    );
  });
});
