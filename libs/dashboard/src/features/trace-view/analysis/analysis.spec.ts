import type { SpanSummary } from '@dacapo/protocol';
import fc from 'fast-check';
import { buildTree } from '../../../shared/spans/build-tree.js';
import { buildTimeline } from './timeline.js';
import { findCriticalPath } from './critical-path.js';
import { placeSpans } from './intervals.js';
import { measureSelfTimes } from './self-times.js';
import { compareWithUsual } from '../../../shared/usual-duration/compare-with-usual.js';
import { findSlowest } from './find-slowest.js';

type Made = [id: string, parent: string | undefined, startMs: number, durationMs: number | undefined];

function span([id, parent_id, startMs, durationMs]: Made, more: Partial<SpanSummary> = {}): SpanSummary {
  return {
    id,
    trace_function_key: id,
    name: id,
    type: 'custom',
    status: durationMs === undefined ? 'unfinished' : 'ok',
    started_at: new Date(Date.UTC(2026, 2, 4) + startMs).toISOString(),
    ...(parent_id !== undefined && { parent_id }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...more,
  };
}

function analyse(made: readonly Made[]) {
  const spans = made.map((each) => span(each));
  const roots = buildTree(spans);
  const { startUs, lengthUs } = buildTimeline(spans);
  const intervals = placeSpans(roots, startUs + lengthUs);
  const root = roots[0]!;
  return {
    roots,
    intervals,
    root,
    selfTimes: measureSelfTimes(roots, intervals),
    path: findCriticalPath(root, intervals),
  };
}

describe('self time', () => {
  it.each<[string, Made[], Record<string, number>]>([
    ['a span alone', [['a', undefined, 0, 10]], { a: 10 }],
    [
      'children one after another',
      [
        ['a', undefined, 0, 10],
        ['b', 'a', 1, 3],
        ['c', 'a', 5, 2],
      ],
      { a: 5, b: 3, c: 2 },
    ],
    [
      'overlapping children',
      [
        ['a', undefined, 0, 10],
        ['b', 'a', 1, 5],
        ['c', 'a', 3, 5],
      ],
      { a: 3, b: 5, c: 5 },
    ],
    [
      'a child that is longer than its parent',
      [
        ['a', undefined, 0, 10],
        ['b', 'a', 5, 50],
      ],
      { a: 5, b: 5 },
    ],
    [
      'a child before its parent, by its clock',
      [
        ['a', undefined, 10, 10],
        ['b', 'a', 0, 5],
      ],
      { a: 10, b: 0 },
    ],
    [
      'an unfinished child',
      [
        ['a', undefined, 0, 10],
        ['b', 'a', 4, undefined],
      ],
      { a: 4, b: 6 },
    ],
    [
      'an unfinished root',
      [
        ['a', undefined, 0, undefined],
        ['b', 'a', 4, 6],
      ],
      { a: 4, b: 6 },
    ],
    ['no duration', [['a', undefined, 0, 0]], { a: 0 }],
  ])('is measured for %s', (_, made, expected) => {
    expect(Object.fromEntries(analyse(made).selfTimes)).toEqual(expected);
  });
});

describe('the critical path', () => {
  it('is of the child that ended last, and of the span itself in between', () => {
    const { path } = analyse([
      ['a', undefined, 0, 10],
      ['first', 'a', 1, 3],
      ['beside', 'a', 5, 2],
      ['last', 'a', 5, 4],
      ['inner', 'last', 6, 1],
    ]);
    expect(path.map(({ spanId, startUs, endUs }) => [spanId, endUs - startUs])).toEqual([
      ['a', 1000],
      ['last', 2000],
      ['inner', 1000],
      ['last', 1000],
      ['a', 1000],
      ['first', 3000],
      ['a', 1000],
    ]);
  });

  const made = fc
    .array(
      fc.record({
        parent: fc.nat(),
        startMs: fc.integer({ min: -20, max: 100 }),
        durationMs: fc.option(fc.nat({ max: 60 }), { nil: undefined }),
      }),
      { maxLength: 25 },
    )
    .map((spans): Made[] => [
      ['root', undefined, 0, 80],
      ...spans.map(({ parent, startMs, durationMs }, index): Made => {
        const above = parent % (index + 1);
        return [`s${index}`, above === 0 ? 'root' : `s${above - 1}`, startMs, durationMs];
      }),
    ]);

  it('covers a root from its end to its start without a gap, and each piece is inside its span', () => {
    fc.assert(
      fc.property(made, (spans) => {
        const { path, intervals, root } = analyse(spans);
        const whole = intervals.get(root.span.id)!;
        let atUs = whole.endUs;
        for (const { spanId, startUs, endUs } of path) {
          const own = intervals.get(spanId)!;
          expect(endUs).toBe(atUs);
          expect(startUs).toBeLessThan(endUs);
          expect(startUs).toBeGreaterThanOrEqual(own.startUs);
          expect(endUs).toBeLessThanOrEqual(own.endUs);
          atUs = startUs;
        }
        expect(atUs).toBe(whole.startUs);
      }),
    );
  });

  it('and self time agree: no span is on the path for longer than it ran itself', () => {
    fc.assert(
      fc.property(made, (spans) => {
        const { path, selfTimes, intervals } = analyse(spans);
        for (const [id, selfMs] of selfTimes) {
          const own = intervals.get(id)!;
          const lasted = (own.endUs - own.startUs) / 1000;
          expect(selfMs).toBeGreaterThanOrEqual(0);
          expect(selfMs).toBeLessThanOrEqual(lasted);
          const onPathUs = path
            .filter(({ spanId }) => spanId === id)
            .reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0);
          expect(onPathUs / 1000).toBeLessThanOrEqual(lasted);
        }
      }),
    );
  });

  it('is found in a chain of 50,000 spans', () => {
    const chain = Array.from({ length: 50_000 }, (_, index): Made => [
      `s${index}`,
      index === 0 ? undefined : `s${index - 1}`,
      0,
      10,
    ]);
    expect(analyse(chain).path).toMatchObject([{ spanId: 's49999' }]);
  });
});

describe('a duration compared with the usual one', () => {
  const usual = { a: { calls: 100, p50_ms: 10, p95_ms: 30 }, rare: { calls: 3, p50_ms: 1, p95_ms: 2 } };
  const lasting = (key: string, durationMs: number | undefined) =>
    span([key, undefined, 0, durationMs], { trace_function_key: key });

  it.each([
    ['a', 180, 18],
    ['a', 30, undefined],
    ['a', undefined, undefined],
    ['rare', 99, undefined],
    ['other', 99, undefined],
    ['toString', 99, undefined],
  ])('of key %s is, for %s ms, %s times', (key, durationMs, times) => {
    expect(compareWithUsual(lasting(key, durationMs), usual)).toBe(times);
  });

  it('is never infinite', () => {
    const instant = { a: { calls: 100, p50_ms: 0, p95_ms: 0 } };
    expect(compareWithUsual(lasting('a', 5), instant)).toBeUndefined();
  });

  it('names the innermost span that lost most of the time', () => {
    const tree = (made: Made[]) => buildTree(made.map((each) => span(each)));
    const of = (...keys: string[]) =>
      Object.fromEntries(keys.map((key) => [key, { calls: 50, p50_ms: 10, p95_ms: 20 }]));
    const nested: Made[] = [
      ['root', undefined, 0, 1000],
      ['agent', 'root', 0, 950],
      ['model', 'agent', 10, 800],
      ['tool', 'agent', 820, 100],
    ];
    expect(findSlowest(tree(nested), of('root', 'agent', 'model', 'tool'))?.id).toBe('model');
    expect(findSlowest(tree(nested), of('root', 'tool'))?.id).toBe('root');
    expect(findSlowest(tree(nested), {})).toBeUndefined();
    expect(findSlowest([], of('root'))).toBeUndefined();
  });
});
