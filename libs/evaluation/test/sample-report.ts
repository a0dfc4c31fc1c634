import { decide } from '../src/gate/decide.js';
import type { Gate } from '../src/gate/gate.js';
import type { RunItem } from '../src/run/run-item.js';
import type { ReportItem, RunReport } from '../src/run/run-report.js';
import { RunTally } from '../src/run/run-tally.js';

/** An item of a run, with what reports know of it. */
export type SampleItem = RunItem & Pick<ReportItem, 'name' | 'texts' | 'url'>;

export function item(itemNo: number, changes: Partial<SampleItem> = {}): SampleItem {
  return { itemNo, input: [], verdict: 'same', divergences: [], scores: [], ...changes };
}

export const side = (text: string, type = 'text'): { type: string; text: string } => ({ type, text });

/** An item with one difference. */
export function changed(itemNo: number, baseline: string, candidate: string, path = '$.label'): SampleItem {
  return item(itemNo, {
    verdict: 'changed',
    diff: [{ path, kind: 'value', before: side(baseline), now: side(candidate) }],
  });
}

/** The report of a run with these items, decided by the gate. */
export function makeReport(
  items: readonly SampleItem[],
  gate?: Gate,
  more: Partial<RunReport> = {},
): RunReport {
  const tally = new RunTally();
  for (const one of items) tally.add(one);
  const summary = tally.summarize(gate);
  return {
    ...summary,
    failures: [],
    ...(gate && decide(summary, gate)),
    items: items.map(reportItem),
    ...more,
  };
}

function reportItem(one: SampleItem): ReportItem {
  const { scores, originalScores = [] } = one;
  const shown: Partial<SampleItem> = { ...one };
  delete shown.scores;
  return {
    ...(shown as Omit<SampleItem, 'scores'>),
    ...(scores.length > 0 && {
      scores: scores.map(({ name, score, label, explanation }) => {
        const baseline = originalScores.find((other) => other.name === name)?.score;
        return {
          name,
          candidate: score,
          ...(baseline !== undefined && { baseline }),
          ...(label !== undefined && { label }),
          ...(explanation !== undefined && { explanation }),
        };
      }),
    }),
  };
}

/** One item of each kind, under a gate with two failed checks. */
export const SMALL = makeReport(
  [
    item(0, {
      name: 'call a0',
      scores: [{ name: 'exact', score: true }],
      originalScores: [{ name: 'exact', score: true }],
      durationMs: 100,
      originalDurationMs: 90,
      timing: 'paired' as const,
    }),
    item(1, {
      ...changed(1, '"billing"', '"other"'),
      name: 'call a1',
      texts: {
        input: '"Where is my refund?"',
        baseline: '{label: "billing"}',
        candidate: '{label: "other"}',
      },
      url: 'https://dacapo.test/traces/t-1',
      scores: [
        {
          name: 'exact',
          score: false,
          label: 'wrong',
          explanation: 'A refund is billing.',
        },
      ],
      originalScores: [{ name: 'exact', score: true }],
      durationMs: 300,
      originalDurationMs: 100,
      timing: 'paired' as const,
    }),
    item(2, {
      name: 'call a2',
      verdict: 'error',
      newError: true,
      error: new TypeError('label is undefined'),
      texts: { input: '"late"', baseline: '{label: "delivery"}' },
      divergences: [{ kind: 'missing', path: ['agent', 'guardrail'] }],
    }),
    item(3, {
      name: 'call a3',
      verdict: 'changed',
      diff: [
        { path: '$.at', kind: 'type', before: side('2026-01-01', 'Date'), now: side('"2026-01-01"') },
        { path: '$.more', kind: 'added', now: side('1', 'number') },
      ],
    }),
    item(4, { name: 'call a4', verdict: 'unknown', repetition: 1 }),
    item(5, { name: 'call a5', divergences: [{ kind: 'changed_arguments', path: ['search'] }] }),
    item(6, { name: 'call a6', verdict: 'changed', fixed: true }),
  ],
  { changed: 1, errors: 0 },
  { title: 'classify-ticket', testRunUrl: 'https://dacapo.test/test-runs/r' },
);
