import { decide, type Gate, describeInnerCalls, RunTally, type TalliedItem } from '@dacapo/evaluation';
import type { JsonObject, TestRunTotals } from '@dacapo/protocol';
import fc from 'fast-check';
import { describeRun } from './decision.js';
import { readSummary } from './read-summary.js';

/** A client's summary of ten calls, `worse` of which lost their score, with the gate's decision. */
function makeSummary(worse: number, gate?: Gate): JsonObject {
  const tally = new RunTally();
  for (let itemNo = 0; itemNo < 10; itemNo += 1) {
    tally.add({
      itemNo,
      sourceSpanId: `span-${itemNo}`,
      verdict: itemNo < worse ? 'changed' : 'same',
      divergences: [],
      durationMs: 100 + itemNo,
      originalDurationMs: 90,
      usage: { inputTokens: 10, outputTokens: 5 },
      originalUsage: { inputTokens: 10, outputTokens: 4 },
      scores: [
        { name: 'accuracy', score: itemNo < worse ? 0 : 1 },
        { name: 'topic', score: 'billing' },
      ],
      originalScores: [{ name: 'accuracy', score: 1 }],
    } satisfies TalliedItem);
  }
  const summary = tally.summarize(gate);
  const decided = gate && decide(summary, gate);
  return JSON.parse(
    JSON.stringify({ ...summary, failures: [], ...decided, ...(gate && { gate }) }),
  ) as JsonObject;
}

const GATE: Gate = { changed: 0, scores: { accuracy: { min: 0.9 } } };
const makeTotals = (changes: Partial<TestRunTotals> = {}): TestRunTotals => ({
  items: 10,
  same: 10,
  changed: 0,
  unknown: 0,
  error: 0,
  fixed: 0,
  failing_as_before: 0,
  accepted: 0,
  diverged: 0,
  flaky: 0,
  new_errors: 0,
  ...changes,
});
const finished = { status: 'finished', totals: makeTotals() } as const;

describe('readSummary', () => {
  it('parses a report', () => {
    const sent = makeSummary(3, GATE);
    const figures = readSummary(sent);
    expect(figures).toMatchObject({
      passed: false,
      failures: sent['failures'],
      checks: sent['checks'],
      gate: GATE,
      confidence: 0.95,
    });
    const scores = Object.fromEntries(figures?.scores ?? []);
    expect(scores['accuracy']?.worse).toHaveLength(3);
    expect(JSON.parse(JSON.stringify(scores))).toMatchObject(sent['scores'] as JsonObject);
    expect(scores['topic']?.labels).toEqual({ billing: 10 });
    const measures = Object.fromEntries(figures?.measures ?? []);
    expect(measures.durations).toEqual(sent['durations']);
    expect(measures.tokens).toEqual((sent['usage'] as JsonObject)['tokens']);
  });

  it('reads the full count of worse calls, warnings, inner calls and reused scores', () => {
    const worse = { mean: 0.5, n: 900, worse: ['span-1'], worseCount: 700, better: 0 };
    const figures = readSummary({ scores: { accuracy: worse }, warnings: ['2 items were refused.', 3] });
    expect(figures?.scores[0]?.[1].worseCount).toBe(700);
    expect(figures?.warnings).toEqual(['2 items were refused.']);
    const { inside } = readSummary({
      ranLive: { mail: 3, desk: 'often' },
      normalized: [{ key: 'search', calls: 2, ambiguous: 1 }, { key: 'search' }, 4],
    })!;
    expect(describeInnerCalls(inside)).toEqual([
      'Ran live, not mocked: mail 3.',
      'Matched the recording after normalizing: search 2 (1 with several recorded calls that match).',
    ]);
    const reused = readSummary({ scores: { polite: { mean: 1, n: 2, worse: [], better: 0, reused: 2 } } });
    expect(reused?.scores[0]?.[1].reused).toBe(2);
  });

  it('drops malformed figures and never throws', () => {
    const names = [
      'passed',
      'failures',
      'gate',
      'confidence',
      'scores',
      'durations',
      'usage',
      'repeats',
      'ranLive',
      'normalized',
      'checks',
    ];
    const anySummary = fc.dictionary(fc.constantFrom(...names, 'warnings'), fc.jsonValue());
    fc.assert(
      fc.property(anySummary, (summary) => {
        const figures = readSummary(summary as JsonObject);
        describeRun(finished, figures);
        describeInnerCalls(figures?.inside ?? {});
        expect(figures?.failures.every((line) => typeof line === 'string')).toBe(true);
      }),
    );
    expect(readSummary({ scores: { good: { mean: 'high' } }, durations: { mean: 4 } })).toMatchObject({
      scores: [['good', { mean: null, n: 0 }]],
      measures: [],
    });
  });

  it('returns `undefined` without a summary', () => {
    expect(readSummary(undefined)).toBeUndefined();
  });
});

describe('describeRun', () => {
  it.each([
    ['finished', makeSummary(0, GATE), 'passed', 'Passed 6 checks'],
    ['finished', makeSummary(3, GATE), 'failed', 'Failed 2 of 6 checks'],
    ['finished', makeSummary(3), 'none', 'No gate'],
    ['finished', undefined, 'none', 'No gate'],
    ['running', undefined, 'open', 'Not decided yet'],
    ['interrupted', undefined, 'open', 'Not decided'],
    // A finished run that is being resumed.
    ['running', makeSummary(0, GATE), 'open', 'Not decided yet'],
  ] as const)('describes a run that is %s', (status, summary, kind, title) => {
    expect(describeRun({ status, totals: makeTotals() }, readSummary(summary))).toMatchObject({
      kind,
      title,
    });
  });
});

it('names how many replayed calls of an interrupted run were not stored', () => {
  const run = { status: 'interrupted', totals: makeTotals() } as const;
  const figures = readSummary({ totals: { items: 10, unstored: 3 } });
  expect(describeRun(run, figures).about).toMatch(/^The service did not store 3 replayed calls\. Resume/);
});

describe('a run that passed', () => {
  const decided = (gate: Gate, totals: Partial<TestRunTotals>) =>
    describeRun(
      { status: 'finished', totals: makeTotals(totals), expected_items: 10 },
      readSummary(makeSummary(0, gate)),
    );

  it.each<[Gate, Partial<TestRunTotals>, string]>([
    [{ errors: 0 }, { changed: 6, diverged: 1 }, '6 changed calls, 1 call with different inner calls'],
    [{ errors: 0, diverged: 0 }, { unknown: 3 }, '3 calls that cannot be compared'],
  ])('by %j lists what the gate does not cover', (gate, totals, uncovered) => {
    expect(decided(gate, totals)).toMatchObject({
      kind: 'passed',
      uncovered: `Not covered by the gate: ${uncovered}.`,
    });
  });

  it.each<[string, Gate, Partial<TestRunTotals>, string | undefined]>([
    ['ships when the gate covers all outcomes', { changed: 0, errors: 0 }, {}, 'Ship'],
    ['ships when only inner calls are not covered', { errors: 0 }, { diverged: 1 }, 'Ship'],
    ['has no advice with a changed call that is not covered', { errors: 0 }, { changed: 6 }, undefined],
    ['has no advice with an error that is not covered', { diverged: 0 }, { error: 1 }, undefined],
    ['has no advice with an unknown call that is not covered', { errors: 0 }, { unknown: 1 }, undefined],
  ])('%s', (_, gate, totals, advice) => {
    expect(decided(gate, totals)).toMatchObject({
      kind: 'passed',
      title: expect.stringMatching(/^Passed/) as string,
    });
    expect(decided(gate, totals).advice).toBe(advice);
  });

  it('has no uncovered changes when the gate covers all', () => {
    expect(decided({ changed: 0, errors: 0, diverged: 0 }, {})).not.toHaveProperty('uncovered');
    expect(decided({ changed: 1, errors: 0, diverged: 0 }, { unknown: 1 })).not.toHaveProperty('uncovered');
  });

  it.each<[Gate, Partial<TestRunTotals>, string]>([
    [{ changed: 1 }, { changed: 1, unknown: 1 }, '2 changed calls'],
    [{ changed: 1, unknown: 0 }, { changed: 1, unknown: 1 }, '1 call that cannot be compared'],
    [
      { errors: 0, diverged: 0 },
      { error: 1, diverged: 2 },
      '1 call with an error, 2 calls with different inner calls',
    ],
    [{ changed: 0 }, { error: 2, new_errors: 1 }, '2 changed calls, 1 call with a new error'],
    [{ changed: 0, errors: 1 }, { error: 1, new_errors: 1 }, '1 changed call'],
    [{ diverged: 0 }, { error: 1, new_errors: 1 }, '1 call with a new error'],
    [{ minItems: 10 }, { items: 3 }, '3 replayed calls, 7 missing calls'],
  ])('by %j is not decided when the stored results fail the gate', (gate, totals, beyond) => {
    const { kind, about } = decided(gate, totals);
    expect(kind).toBe('open');
    expect(about).toContain(`The client reported a pass, but the stored results fail the gate: ${beyond}.`);
  });
});

it.each([
  [3, '7 calls not stored by the service', 7],
  [3, '4 missing calls, 3 calls not stored by the service', 3],
  // Waiting reports were stored after the client counted.
  [8, '2 calls not stored by the service', 5],
  [3, '7 missing calls', -1],
])('explains %d stored calls as: %s', (items, text, unstored) => {
  const summary = { ...makeSummary(0, {}), totals: { unstored } };
  const run = { status: 'finished', totals: makeTotals({ items, same: items }), expected_items: 10 } as const;
  expect(describeRun(run, readSummary(summary)).about).toContain(
    `the stored results fail the gate: ${text}.`,
  );
});
