import fc from 'fast-check';
import { changed, item, makeReport, type SampleItem } from '../../test/sample-report.js';
import { formatNumber } from '../gate/words.js';
import type { RunReport } from '../run/run-report.js';
import { measureRows, scoreRows } from './figures.js';
import { toHtml } from './html/html.js';
import { toJUnit } from './junit.js';
import { toMarkdown } from './markdown.js';
import { toText } from './text.js';
import { formatTotals } from './words.js';

/** One play: its verdict, whether it is judged right on each side, a graded score on each side, its durations, its session. */
interface GeneratedItem {
  kind: 'same' | 'changed' | 'error' | 'unknown';
  right: readonly [boolean, boolean];
  grade: readonly [number, number];
  durations: readonly [number, number];
  session: number;
}

const sides = <T>(side: fc.Arbitrary<T>): fc.Arbitrary<readonly [T, T]> => fc.tuple(side, side);
const generatedItem: fc.Arbitrary<GeneratedItem> = fc.record({
  kind: fc.constantFrom('same', 'changed', 'error', 'unknown'),
  right: sides(fc.boolean()),
  grade: sides(fc.integer({ min: 0, max: 4 }).map((points) => points / 4)),
  durations: sides(fc.integer({ min: 1, max: 5_000 })),
  session: fc.integer({ min: 0, max: 5 }),
});

function makeRun(generatedItems: readonly GeneratedItem[], repeat: number): RunReport {
  const items = generatedItems.flatMap((one, itemNo) =>
    Array.from({ length: repeat }, (_, repetition): SampleItem => {
      const isFailed = one.kind === 'error';
      const outcome =
        one.kind === 'changed' ? changed(itemNo, '1', `${itemNo}`) : item(itemNo, { verdict: one.kind });
      return {
        ...outcome,
        ...(repeat > 1 && { repetition }),
        ...(one.session > 0 && { sessionId: `s${one.session}` }),
        ...(isFailed && { error: new Error('down'), newError: true as const }),
        scores: isFailed
          ? []
          : [
              { name: 'right', score: one.right[0] },
              { name: 'grade', score: one.grade[0] },
            ],
        originalScores: [
          { name: 'right', score: one.right[1] },
          { name: 'grade', score: one.grade[1] },
        ],
        durationMs: one.durations[0],
        originalDurationMs: one.durations[1],
        timing: 'paired' as const,
      };
    }),
  );
  return makeReport(items, {
    changed: 1,
    scores: { right: { min: 0.5, maxDrop: 0.1 }, grade: { maxDrop: 0 } },
    p95Ms: { maxRise: 10 },
  });
}

/** A report as words and figures, without the escapes and the columns of its format. */
function words(report: string): string {
  return report
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<(?!! )[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\\([^\w\s])/g, '$1')
    .replace(/\|/g, ' ')
    .replace(/\s+/g, ' ');
}

const RUNS = fc.tuple(
  fc.array(generatedItem, { minLength: 1, maxLength: 20 }),
  fc.integer({ min: 1, max: 3 }),
);

describe('every report of a run', () => {
  it('shows the same counts, means, intervals, changes and p', () => {
    fc.assert(
      fc.property(RUNS, ([generatedItems, repeat]) => {
        const report = makeRun(generatedItems, repeat);
        const rows = [...scoreRows(report, true), ...measureRows(report)].map((row) =>
          row.filter((cell) => cell !== '').join(' '),
        );
        for (const text of [toText(report), toMarkdown(report), toHtml(report)].map(words)) {
          expect(text).toContain(formatTotals(report));
          for (const row of rows) expect(text).toContain(row);
        }
        const junit = words(toJUnit(report));
        for (const row of [...scoreRows(report, true), ...measureRows(report)])
          for (const cell of row) expect(junit).toContain(cell);
      }),
      { numRuns: 60 },
    );
  });

  it('shows the p of a failed or noted limit as its table does', () => {
    fc.assert(
      fc.property(RUNS, ([generatedItems, repeat]) => {
        const report = makeRun(generatedItems, repeat);
        const pValues = [...report.failures, ...(report.notes ?? [])].flatMap((sentence) =>
          [...sentence.matchAll(/^(right|grade) dropped by .*?(p [=<] [\d.e-]+)/g)].map(
            ([, name = '', p = '']) => [name, p] as const,
          ),
        );
        for (const [name, p] of pValues)
          expect(scoreRows(report, true).find(([score]) => score === name)?.[5]).toContain(p);
      }),
      { numRuns: 60 },
    );
  });

  it('counts no more items than there are, and leaves no scale', () => {
    fc.assert(
      fc.property(RUNS, ([generatedItems, repeat]) => {
        const report = makeRun(generatedItems, repeat);
        const { totals, scores } = report;
        expect(totals.same + totals.changed + totals.unknown + totals.error).toBe(
          generatedItems.length * repeat,
        );
        for (const { mean, interval, n, worse, better, delta } of Object.values(scores)) {
          expect(n).toBeLessThanOrEqual(generatedItems.length);
          expect(worse.length + better).toBeLessThanOrEqual(generatedItems.length);
          for (const end of [mean ?? 0, interval?.low ?? 0, interval?.high ?? 0]) {
            expect(Number(formatNumber(end))).toBeGreaterThanOrEqual(0);
            expect(Number(formatNumber(end))).toBeLessThanOrEqual(1);
          }
          for (const end of [delta?.interval?.low ?? 0, delta?.interval?.high ?? 0])
            expect(Math.abs(end)).toBeLessThanOrEqual(1);
          expect(delta?.p ?? 1).toBeLessThanOrEqual(1);
        }
        const counts = [...toText(report).matchAll(/(\d+) of (\d+) (?:items|calls|checks)/g)];
        for (const [, part, whole] of counts) expect(Number(part)).toBeLessThanOrEqual(Number(whole));
      }),
      { numRuns: 60 },
    );
  });
});
