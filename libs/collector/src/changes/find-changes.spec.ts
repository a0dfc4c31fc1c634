import fc from 'fast-check';
import { Tally } from '../storage/rules/tally.js';
import { type ComparedFunction, findChanges } from './find-changes.js';

interface Call {
  ms?: number;
  failed?: boolean;
  usd?: number;
}

const tallyOf = (calls: readonly Call[]): Tally => {
  const tally = new Tally();
  for (const { ms, failed = false, usd } of calls) {
    tally.calls++;
    if (failed) tally.errors++;
    if (ms !== undefined) tally.addDuration(ms);
    if (usd === undefined) continue;
    tally.modelCalls++;
    tally.costNanoUsd += Math.round(usd * 1e9);
  }
  return tally;
};

const sum = (tallies: readonly Tally[]): Tally => {
  const total = new Tally();
  for (const tally of tallies) total.add(tally);
  return total;
};

/** Calls of a function by hour, in two periods. */
const compare = (current: Call[][], baseline: Call[][], traceFunctionKey = 'f'): ComparedFunction => {
  const [currentParts, baselineParts] = [current.map(tallyOf), baseline.map(tallyOf)];
  return {
    traceFunctionKey,
    currentParts,
    baselineParts,
    current: sum(currentParts),
    baseline: sum(baselineParts),
  };
};

const times = <T>(n: number, make: (index: number) => T): T[] =>
  Array.from({ length: n }, (_, index) => make(index));
const hours = (calls: number, make: (index: number) => Call): Call[][] =>
  times(24, (hour) => times(calls, (index) => make(hour * calls + index)));

const usual = (index: number): Call => ({
  ms: 100 + (index % 50),
  failed: index % 100 === 0,
  usd: 0.01 + (index % 7) / 1000,
});

describe('findChanges', () => {
  const call: fc.Arbitrary<Call> = fc.record(
    {
      ms: fc.double({ min: 1, max: 1e5, noNaN: true }),
      failed: fc.boolean(),
      usd: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: [] },
  );

  it('reports no change between two equal periods', () => {
    fc.assert(
      fc.property(fc.array(fc.array(call, { maxLength: 60 }), { maxLength: 12 }), (period) => {
        expect(findChanges([compare(period, period)], [])).toEqual([]);
      }),
    );
  });

  it('reports no change of fewer than 5 calls, whatever they did', () => {
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 4 }),
        fc.array(fc.array(call, { maxLength: 4 }), { maxLength: 1 }),
        (now, before) => {
          expect(findChanges([compare([now], before)], [])).toEqual([]);
        },
      ),
    );
  });

  it('reports a change that is none in at most 1 of 100 comparisons of 20 functions', () => {
    const random = seeded(7);
    const draw = (): Call => ({
      ms: Math.exp(5 + 2 * (random() + random() - 1)),
      failed: random() < 0.05,
      usd: random() ** 3,
    });
    const alarms = times(150, () => {
      const functions = times(20, (no) => compare(hours(4, draw), hours(4, draw), `f${no}`));
      return findChanges(functions, []).length > 0;
    }).filter(Boolean);
    expect(alarms.length).toBeLessThanOrEqual(4);
  });

  it('never depends on the order of functions', () => {
    const functions = [
      compare(
        hours(20, (no) => ({ ...usual(no), ms: 900 })),
        hours(20, usual),
        'slow',
      ),
      compare(
        hours(20, (no) => ({ ...usual(no), failed: no % 3 === 0 })),
        hours(20, usual),
        'failing',
      ),
      compare(hours(20, usual), hours(20, usual), 'same'),
    ];
    expect(findChanges(functions.toReversed(), [])).toEqual(findChanges(functions, []));
    expect(findChanges(functions, []).map(({ trace_function_key: key }) => key)).toEqual(['failing', 'slow']);
  });

  it('reports a slower 95th percentile with its ratio and the calls that ended', () => {
    const slower = hours(20, (no) => ({ ...usual(no), ms: no % 10 === 0 ? 3000 : 110 }));
    expect(findChanges([compare(slower, hours(20, usual))], [])).toEqual([
      {
        kind: 'duration',
        trace_function_key: 'f',
        calls: 480,
        baseline_calls: 480,
        current: expect.closeTo(3000, -2),
        baseline: expect.closeTo(147, -1),
        ratio: expect.closeTo(20.4, 0),
      },
    ]);
  });

  it('reports no slower median, no faster calls, and no rise below a quarter', () => {
    const compared = (ms: (no: number) => number) =>
      findChanges(
        [
          compare(
            hours(20, (no) => ({ ...usual(no), ms: ms(no) })),
            hours(20, usual),
          ),
        ],
        [],
      );
    expect(compared((no) => (no % 10 < 9 ? 130 : 149))).toEqual([]);
    expect(compared((no) => usual(no).ms! / 3)).toEqual([]);
    expect(compared((no) => usual(no).ms! * 1.2)).toEqual([]);
  });

  it('reports a higher share of failed calls, also from none', () => {
    const failing = hours(20, (no) => ({ ...usual(no), failed: no % 10 === 0 }));
    const never = hours(20, (no) => ({ ...usual(no), failed: false }));
    expect(findChanges([compare(failing, hours(20, usual))], [])).toMatchObject([
      { kind: 'failures', current: 0.1, baseline: expect.closeTo(0.01, 2), ratio: expect.closeTo(9.6, 0) },
    ]);
    const [change] = findChanges([compare(failing, never)], []);
    expect(change).toMatchObject({ kind: 'failures', current: 0.1, baseline: 0 });
    expect(change).not.toHaveProperty('ratio');
  });

  it('reports a higher cost per call, not a higher sum', () => {
    const dearer = hours(5, (no) => ({ ...usual(no), usd: usual(no).usd! * 3 }));
    expect(findChanges([compare(dearer, hours(5, usual))], [])).toMatchObject([
      { kind: 'cost', ratio: expect.closeTo(3, 1), calls: 120 },
    ]);
    expect(findChanges([compare(hours(50, usual), hours(5, usual))], [])).toEqual([]);
  });

  it('reports no cost that is known in part', () => {
    const dearer = compare(
      hours(5, (no) => ({ ...usual(no), usd: 1 })),
      hours(5, usual),
    );
    dearer.baseline.unpricedCalls++;
    expect(findChanges([dearer], [])).toEqual([]);
  });

  it('reports a new kind of error of a function that was called before', () => {
    const compared = [compare(hours(1, usual), hours(1, usual)), compare(hours(1, usual), [], 'new')];
    const find = (traceFunctionKey: string, traces: number) =>
      findChanges(compared, [{ traceFunctionKey, error: 'TimeoutError', traces }]);
    expect(find('f', 6)).toEqual([
      {
        kind: 'new_error',
        trace_function_key: 'f',
        error: 'TimeoutError',
        current: 6,
        baseline: 0,
        calls: 24,
        baseline_calls: 24,
      },
    ]);
    expect(find('f', 3)).toEqual([]);
    expect(find('new', 20)).toEqual([]);
  });

  it('reports failures that a new error explains only once', () => {
    const failing = compare(
      hours(20, (no) => ({ ...usual(no), failed: no % 10 === 0 })),
      hours(20, usual),
    );
    const kindsWith = (traces: number) =>
      findChanges([failing], [{ traceFunctionKey: 'f', error: 'A', traces }]).map(({ kind }) => kind);
    expect(kindsWith(48)).toEqual(['new_error']);
    expect(kindsWith(10)).toEqual(['failures', 'new_error']);
  });

  it('reports new errors before other changes, the most frequent first', () => {
    const slow = compare(
      hours(20, (no) => ({ ...usual(no), ms: 900 })),
      hours(20, usual),
    );
    const error = (name: string, traces: number) => ({ traceFunctionKey: 'f', error: name, traces });
    const changes = findChanges([slow], [error('A', 10), error('B', 20)]);
    expect(changes.map(({ kind, error: name }) => name ?? kind)).toEqual(['B', 'A', 'duration']);
  });
});

/** Numbers from 0 to 1 that are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
