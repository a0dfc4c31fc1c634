import type { JsonObject, TestRunTotals } from '@dacapo/protocol';
import { countAgainstLimits, expectedItems, storedDecision } from './count-against-limits.js';

const TOTALS: TestRunTotals = {
  items: 20,
  same: 9,
  changed: 3,
  unknown: 2,
  error: 6,
  fixed: 1,
  failing_as_before: 1,
  new_errors: 4,
  accepted: 0,
  diverged: 5,
  flaky: 0,
};

describe("The service's counts, compared with a gate", () => {
  it.each<[string, JsonObject, { limit: string; count: number }[]]>([
    ['each limit counts its own items', { errors: 6, changed: 7, unknown: 2, diverged: 5 }, []],
    [
      'each limit fails for one item more',
      { errors: 5, changed: 6, unknown: 1, diverged: 4 },
      [
        { limit: 'errors', count: 6 },
        { limit: 'changed', count: 7 },
        { limit: 'unknown', count: 2 },
        { limit: 'diverged', count: 5 },
      ],
    ],
    ['new errors fail a gate without a limit on errors', {}, [{ limit: 'newErrors', count: 4 }]],
    [
      'changed counts what has no limit of its own',
      { changed: 10 },
      [
        { limit: 'changed', count: 11 },
        { limit: 'newErrors', count: 4 },
      ],
    ],
    ['too few items fail', { errors: 6, minItems: 21 }, [{ limit: 'minItems', count: 20 }]],
    ['as many items as asked for pass', { errors: 6, minItems: 20 }, []],
    ['a limit that is not a number is none', { errors: 6, changed: '0', diverged: null }, []],
  ])('%s', (_, gate, beyond) => {
    expect(countAgainstLimits(gate, TOTALS).beyond).toEqual(beyond);
  });

  it('fails without items, unless minItems is 0, and with missing items', () => {
    const none: TestRunTotals = {
      ...TOTALS,
      items: 0,
      changed: 0,
      unknown: 0,
      error: 0,
      new_errors: 0,
      diverged: 0,
    };
    expect(countAgainstLimits({}, none).beyond).toEqual([{ limit: 'minItems', count: 0 }]);
    expect(countAgainstLimits({ minItems: 0 }, none).beyond).toEqual([]);
    expect(countAgainstLimits({ minItems: 0 }, none, 2).beyond).toEqual([{ limit: 'missing', count: 2 }]);
    expect(countAgainstLimits({ errors: 6 }, TOTALS, 20).beyond).toEqual([]);
    expect(countAgainstLimits({ errors: 6 }, TOTALS, 23).beyond).toEqual([{ limit: 'missing', count: 3 }]);
  });

  it('lists counts without a limit', () => {
    expect(countAgainstLimits({ errors: 6, unknown: 9 }, { ...TOTALS, diverged: 0 }).unasked).toEqual([
      { limit: 'changed', count: 3 },
    ]);
    expect(countAgainstLimits({ changed: 20 }, TOTALS).unasked).toEqual([{ limit: 'diverged', count: 5 }]);
  });
});

it('a run is expected to have the items of its dataset, its selection or its list, each as often as it is repeated', () => {
  const selection = { request: {}, items: 3, missing: 0, skipped: {} };
  expect(expectedItems({ dataset: { name: 'd', version: 1, items: 2 }, selection, expected_items: 9 })).toBe(
    2,
  );
  expect(expectedItems({ selection, expected_items: 9, repeat: 4 })).toBe(12);
  expect(expectedItems({ expected_items: 9 })).toBe(9);
  expect(expectedItems({ repeat: 4 })).toBe(0);
});

it.each([
  [{ status: 'running', passed: true }, 'not yet'],
  [{ status: 'interrupted', passed: true }, 'not decided'],
  [{ status: 'finished', passed: true, undecided: true }, 'not decided'],
  [{ status: 'finished' }, 'no gate'],
  [{ status: 'finished', passed: true }, 'passed'],
  [{ status: 'finished', passed: false }, 'failed'],
] as const)('the decision on %j is: %s', (run, decision) => {
  expect(storedDecision(run as Parameters<typeof storedDecision>[0])).toBe(decision);
});
