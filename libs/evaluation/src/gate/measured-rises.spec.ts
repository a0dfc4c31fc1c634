import { GAP_KINDS } from '../run/measure-gaps.js';
import type { TalliedItem } from '../run/item-tally.js';
import type { ModelCalls } from '../run/run-item.js';
import { RunTally } from '../run/run-tally.js';
import type { Decision, RunSummary } from '../run/run.js';
import { toJUnit } from '../reports/junit.js';
import { toMarkdown } from '../reports/markdown.js';
import { toText } from '../reports/text.js';
import { decide as decideSummary } from './decide.js';
import { type Gate, readGate } from './gate.js';

type Changes = { [K in keyof TalliedItem]?: TalliedItem[K] | undefined };

const calls = (made: number, withUsage = made, priced = withUsage): ModelCalls => ({
  made,
  inputTokens: withUsage,
  outputTokens: withUsage,
  costUsd: priced,
});
const usage = (tokens: number, costUsd?: number) => ({
  inputTokens: tokens,
  outputTokens: 10,
  ...(costUsd !== undefined && { costUsd }),
});
/** Used the same, in one call, as before. */
const alike = {
  durationMs: 100,
  originalDurationMs: 100,
  timing: 'paired' as const,
  usage: usage(100, 0.1),
  originalUsage: usage(100, 0.1),
  modelCalls: calls(1),
  originalModelCalls: calls(1),
};

type TalliedRun = RunSummary & Pick<RunTally, 'summarize'>;

/** Ten items, the first ones of which are `changed`; what is `undefined` is absent. */
function run(changed: Changes, count = 3): TalliedRun {
  const tally = new RunTally();
  for (let itemNo = 0; itemNo < 10; itemNo += 1) {
    const facts = Object.entries({ ...alike, ...(itemNo < count ? changed : {}) });
    const present = facts.filter(([, value]) => value !== undefined);
    tally.add({ itemNo, verdict: 'same', divergences: [], scores: [], ...Object.fromEntries(present) });
  }
  return { ...tally.summarize(), summarize: (limits) => tally.summarize(limits) };
}

/** Decides as the replay engine does: the summary is made with the gate. */
const decide = (tallied: TalliedRun, gate: Gate): Decision =>
  decideSummary(tallied.summarize(readGate(gate)), gate);

const RISES: Gate = { tokens: { maxRise: 1000 }, costUsd: { maxRise: 1000 } };
const TOKENS_CURE =
  'Record the usage of each model call with a wrapped client or addUsage; or allow this number with tokens.unmeasured.';
const COST_CURE =
  'Record the usage of each model call, and set a price for its model; or allow this number with costUsd.unmeasured.';
const UNTOLD = '3 with model calls without usage';

describe('A limit on tokens or cost, with items that lack usage of the baseline', () => {
  const none: Changes = { usage: undefined, modelCalls: undefined };

  it.each<[string, Changes, string, string]>([
    ['their model calls tell nothing', { ...none, modelCalls: calls(1, 0) }, UNTOLD, `${UNTOLD} or price`],
    ['some of their model calls tell nothing', { modelCalls: calls(3, 2) }, UNTOLD, `${UNTOLD} or price`],
    [
      'no model call was seen',
      { ...none, modelCalls: calls(0) },
      '3 without an observed model call',
      '3 without an observed model call',
    ],
    [
      'nobody knows what they called',
      none,
      '3 answered from the recording, or reported without the number of their model calls',
      '3 answered from the recording, or reported without the number of their model calls',
    ],
    ['they failed before', { ...none, verdict: 'error' }, '3 that failed before', '3 that failed before'],
    [
      'they were not called',
      { ...none, originalUsage: undefined, durationMs: undefined, verdict: 'error' },
      '3 that failed before',
      '3 that failed before',
    ],
  ])('fails, for %s', (_, changes, tokens, cost) => {
    const summary = run(changes);
    expect(decide(summary, RISES)).toMatchObject({
      passed: false,
      failures: [
        ...('durationMs' in changes
          ? ['3 items could not be replayed. Fix the errors, or set errors to the number to allow.']
          : []),
        `The mean number of tokens is unknown for 3 items that have it in the baseline: ${tokens}. ${TOKENS_CURE}`,
        `The mean cost is unknown for 3 items that have it in the baseline: ${cost}. ${COST_CURE}`,
      ],
    });
    expect(summary.usage.tokens).toMatchObject({ n: 7, delta: { n: 7, mean: 0 } });
  });

  it('fails only on cost for an unknown price', () => {
    const summary = run({ usage: usage(100), modelCalls: calls(1, 1, 0) });
    expect(decide(summary, RISES).failures).toEqual([
      `The mean cost is unknown for 3 items that have it in the baseline: ${UNTOLD} or price. ${COST_CURE}`,
    ]);
    expect(summary.usage.costUsd).toMatchObject({ n: 7 });
  });

  it('fails when input or output tokens are missing', () => {
    const summary = run({ usage: { outputTokens: 10 }, modelCalls: { ...calls(1), inputTokens: 0 } });
    expect(decide(summary, { tokens: { maxRise: 0 } }).passed).toBe(false);
  });

  it('reports that no item has it, not that it was not measured', () => {
    const summary = run({ usage: undefined, modelCalls: calls(1, 0) }, 10);
    const [failure, ...others] = decide(summary, { tokens: { maxRise: 1 } }).failures;
    expect(failure).toMatch(/^The mean number of tokens is unknown for 10 items .*: 10 with model calls/);
    expect(others).toEqual([]);
  });

  it('checks nothing without a limit', () => {
    const summary = run({ usage: undefined, modelCalls: calls(1, 0) });
    expect(decide(summary, { tokens: {}, p95Ms: { maxRise: 1 }, errors: 0 }).failures).toEqual([]);
    expect(decide(summary, { tokens: { unmeasured: 2 } }).failures).toHaveLength(1);
  });

  it('allows the given number of items, with a note', () => {
    const summary = run({ usage: undefined, modelCalls: calls(0) });
    expect(decide(summary, { tokens: { maxRise: 0, unmeasured: 3 } })).toMatchObject({
      passed: true,
      failures: [],
      notes: [
        'The mean number of tokens is unknown for 3 items that have it in the baseline: 3 without an observed model call; the gate allows 3.',
      ],
    });
    expect(decide(summary, { tokens: { maxRise: 0, unmeasured: 2 } }).failures).toEqual([
      expect.stringMatching(/: 3 without an observed model call\. The gate allows 2\. Record the usage/),
    ]);
  });

  it('leaves failed items to the limit on errors if there is one', () => {
    const summary = run({ usage: undefined, verdict: 'error' });
    expect(decide(summary, { errors: 3, tokens: { maxRise: 0 } })).toMatchObject({ passed: true });
    expect(decide(summary, { errors: 2, tokens: { maxRise: 0 } }).failures).toHaveLength(1);
  });
});

describe('A limit on tokens or cost passes', () => {
  it.each<[string, Changes]>([
    [
      'items that never called a model',
      { usage: undefined, originalUsage: undefined, modelCalls: calls(0), originalModelCalls: calls(0) },
    ],
    [
      'as many silent calls as before, such as speech',
      { modelCalls: calls(2, 1), originalModelCalls: calls(2, 1) },
    ],
    ['fewer silent calls', { modelCalls: calls(1), originalModelCalls: calls(4, 1) }],
    ['fewer calls', { originalModelCalls: calls(5) }],
    [
      'embeddings, which have no output, more of them too',
      {
        modelCalls: { ...calls(4, 4), outputTokens: 1 },
        originalModelCalls: { ...calls(2, 2), outputTokens: 1 },
      },
    ],
    [
      'what nothing was known of before',
      {
        usage: undefined,
        originalUsage: undefined,
        modelCalls: calls(1, 0),
        originalModelCalls: calls(1, 0),
      },
    ],
  ])('%s', (_, changes) => {
    expect(decide(run(changes), { tokens: { maxRise: 0 }, costUsd: { maxRise: 0 } }).failures).toEqual([]);
  });
});

describe('A limit on a rise', () => {
  it('counts usage as a rise from 0 when the baseline called no model', () => {
    const summary = run({ originalUsage: undefined, originalModelCalls: calls(0) }, 6);
    expect(summary.usage.tokens?.delta).toMatchObject({ n: 10, mean: 66 });
    expect(decide(summary, { tokens: { maxRise: 10 } }).passed).toBe(false);
  });

  it('fails on p95Ms for items that could not be called', () => {
    const summary = run({ durationMs: undefined, verdict: 'error' }, 2);
    expect(decide(summary, { p95Ms: { maxRise: 10 } }).failures).toEqual([
      '2 items could not be replayed. Fix the errors, or set errors to the number to allow.',
      'The 95th percentile of durations is unknown for 2 items that have it in the baseline: 2 that failed before. Look at their errors and notes, and do not mock timed calls; or allow this number with p95Ms.unmeasured.',
    ]);
    expect(decide(summary, { errors: 2, p95Ms: { maxRise: 10 } }).passed).toBe(true);
  });

  it('notes how many items were compared, and which have no number of calls', () => {
    const unknown = { originalUsage: undefined, originalModelCalls: undefined };
    expect(decide(run(unknown), { tokens: { maxRise: 0 } }).notes).toEqual([
      'The mean number of tokens was compared for 7 of 10 items: the others have no baseline.',
    ]);
    expect(decide(run({ modelCalls: undefined }), { tokens: { maxRise: 0 } })).toMatchObject({
      passed: true,
      failures: [],
      notes: [
        '3 items were reported by an older version, without the number of model calls, so usage may be incomplete.',
      ],
    });
  });

  it('is noted when exceeded without evidence', () => {
    const one = run({ usage: usage(5000, 0.1) }, 1);
    const { passed, notes } = decide(one, { tokens: { maxRise: 1 } });
    expect(passed).toBe(true);
    expect(notes).toEqual([
      expect.stringMatching(
        /^The mean number of tokens rose by 490 \(95 % interval .*\), over 10 items: this may be chance; the gate allows 1\.$/,
      ),
    ]);
  });
});

describe('An item whose baseline ran in another process', () => {
  const timed = { durationMs: 100, originalDurationMs: 100, timing: 'paired' } as const;
  const alone = { durationMs: 100, verdict: 'unknown' } as const;
  const makeTally = (...items: readonly Partial<TalliedItem>[]): TalliedRun => {
    const tally = new RunTally();
    for (const [itemNo, changes] of items.entries())
      tally.add({ itemNo, verdict: 'same', divergences: [], scores: [], ...changes });
    return { ...tally.summarize(), summarize: (limits) => tally.summarize(limits) };
  };
  const many = (count: number, item: Partial<TalliedItem>): Partial<TalliedItem>[] =>
    Array.from({ length: count }, () => item);
  const p95Ms = { maxRise: 10 };

  it('fails a limit on p95Ms', () => {
    const summary = makeTally(...many(9, timed), alone);
    expect(summary.unmeasured).toEqual({
      durationMs: { items: 1, failed: 0, untold: 0, unseen: 0, unknown: 0, unpaired: 1 },
    });
    expect(decide(summary, { p95Ms }).failures).toEqual([
      'The 95th percentile of durations is unknown for 1 item: 1 whose baseline was not timed. Look at their errors and notes, and do not mock timed calls; or allow this number with p95Ms.unmeasured.',
    ]);
    expect(decide(summary, { p95Ms: { ...p95Ms, unmeasured: 1 } }).passed).toBe(true);
  });

  it('fails the limit when only one of its repetitions is paired, and is not compared', () => {
    const summary = makeTally(...many(9, timed), { ...timed, itemNo: 0 }, { ...alone, itemNo: 0 });
    expect(summary).toMatchObject({
      unmeasured: { durationMs: { items: 1, unpaired: 1 } },
      durations: { p95Delta: { n: 8 } },
    });
    expect(decide(summary, { p95Ms }).passed).toBe(false);
  });

  it('counts as failed when it could not be compared', () => {
    const summary = makeTally(...many(9, timed), { ...alone, verdict: 'error', originalDurationMs: 100 });
    expect(summary.unmeasured).toMatchObject({ durationMs: { items: 1, failed: 1 } });
    expect(decide(summary, { p95Ms, errors: 1 }).failures).toEqual([]);
    expect(decide(summary, { p95Ms }).failures.join()).toContain('1 that failed before');
  });

  it('counts when the others had mocked calls', () => {
    const summary = makeTally({ ...timed, timing: 'mocked' }, alone);
    expect(summary.unmeasured).toMatchObject({ durationMs: { items: 2, mocked: 1, unpaired: 1 } });
  });

  it('is ignored when no baseline is paired', () => {
    expect(makeTally(...many(10, { durationMs: 100, originalDurationMs: 90 }))).not.toHaveProperty(
      'unmeasured',
    );
  });
});

describe('An unmeasured item', () => {
  const items = [{ itemNo: 0, verdict: 'same' as const, divergences: [] }];
  const summary = run({ usage: undefined, modelCalls: calls(1, 0) });
  const allowed = decide(summary, { tokens: { maxRise: 0, unmeasured: 3 } });

  it('is in the figures, counted by reason', () => {
    expect(summary.unmeasured).toEqual({
      tokens: { items: 3, failed: 0, untold: 3, unseen: 0, unknown: 0 },
      costUsd: { items: 3, failed: 0, untold: 3, unseen: 0, unknown: 0 },
    });
    expect(run({})).not.toHaveProperty('unmeasured');
    expect([...GAP_KINDS].sort()).toEqual(['failed', 'mocked', 'unknown', 'unpaired', 'unseen', 'untold']);
  });

  it('is in every report, with notes of the gate', () => {
    const report = { ...summary, ...allowed, items };
    expect(toText(report)).toMatch(/Tokens +110 .* 110 +7, 3 unknown/);
    expect(toText(report)).toContain('\nNote: The mean number of tokens is unknown for 3 items');
    expect(toMarkdown(report)).toMatch(/\| Tokens \| 110 \| .* \| 110 \| .* \| 7, 3 unknown \|/);
    expect(toMarkdown(report)).toContain('- Note: The mean number of tokens is unknown for 3 items');
    expect(toJUnit(report)).toContain('name="gate"><system-out>Note: The mean number of tokens is unknown');
    const none = run({ usage: undefined, modelCalls: calls(1, 0) }, 10);
    expect(toText({ ...none, failures: [], items })).toMatch(/Tokens +unknown +0, 10 unknown/);
  });

  it('is in no report when the recording answered every model call', () => {
    const mocked = run({ usage: undefined, modelCalls: undefined }, 10);
    expect(toText({ ...mocked, failures: [], items })).not.toContain('Tokens');
  });
});
