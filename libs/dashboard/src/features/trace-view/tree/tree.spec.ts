import type { SpanSummary } from '@dacapo/protocol';
import { buildTree, type SpanNode } from '../../../shared/spans/build-tree.js';
import { firstFailure, nextFailure } from '../analysis/failures.js';
import { placeBar, buildTimeline } from '../analysis/timeline.js';
import { treeMove } from './tree-keys.js';
import { visibleRows } from '../analysis/visible-rows.js';

const at = (ms: number) => `2026-03-04T10:00:00.${String(ms).padStart(3, '0')}000Z`;

function span(id: string, parent_id?: string, startMs = 0, more: Partial<SpanSummary> = {}): SpanSummary {
  return {
    id,
    ...(parent_id === undefined ? {} : { parent_id }),
    trace_function_key: 'key',
    name: id,
    type: 'custom',
    status: 'ok',
    started_at: at(startMs),
    duration_ms: 10,
    ...more,
  };
}

type Shape = { [id: string]: Shape };
const toShape = (nodes: SpanNode[]): Shape =>
  Object.fromEntries(nodes.map((node) => [node.span.id, toShape(node.children)]));

describe('buildTree', () => {
  it('puts children below their parents, in the order of their starts', () => {
    const roots = buildTree([
      span('late', 'root', 5),
      span('root'),
      span('early', 'root', 1),
      span('deep', 'late', 6),
    ]);
    expect(toShape(roots)).toEqual({ root: { early: {}, late: { deep: {} } } });
    expect(Object.keys(toShape(roots)['root']!)).toEqual(['early', 'late']);
  });

  it('marks a span whose parent never arrived as an orphan root', () => {
    const roots = buildTree([span('root'), span('lost', 'nobody', 1)]);
    expect(roots.map((root) => [root.span.id, root.isOrphan])).toEqual([
      ['root', false],
      ['lost', true],
    ]);
  });

  it('lists every span of a cycle once', () => {
    const roots = buildTree([
      span('a', 'b'),
      span('b', 'a', 1),
      span('self', 'self', 2),
      span('below', 'a', 3),
    ]);
    expect(toShape(roots)).toEqual({ a: { below: {} }, b: {}, self: {} });
  });

  it('builds a chain of 5,000 spans', () => {
    const chain = Array.from({ length: 5_000 }, (_, i) =>
      span(`s${i}`, i === 0 ? undefined : `s${i - 1}`, 0),
    );
    expect(visibleRows(buildTree(chain), new Set()).at(-1)).toMatchObject({ level: 5_000 });
  });
});

describe('visibleRows', () => {
  const roots = buildTree([
    span('root'),
    span('one', 'root', 1),
    span('below', 'one', 2),
    span('two', 'root', 3),
  ]);

  it('returns level, position and siblings of each tree item', () => {
    expect(visibleRows(roots, new Set())).toMatchObject([
      { span: { id: 'root' }, level: 1, position: 1, siblings: 1, isExpanded: true },
      { span: { id: 'one' }, level: 2, position: 1, siblings: 2, isExpanded: true },
      { span: { id: 'below' }, level: 3, position: 1, siblings: 1 },
      { span: { id: 'two' }, level: 2, position: 2, siblings: 2 },
    ]);
  });

  it('skips descendants of a collapsed span', () => {
    const rows = visibleRows(roots, new Set(['one']));
    expect(rows.map((row) => row.span.id)).toEqual(['root', 'one', 'two']);
    expect(rows[1]).toMatchObject({ isExpanded: false });
  });

  it('has no expanded state for a leaf', () => {
    expect(visibleRows(roots, new Set())[2]).not.toHaveProperty('isExpanded');
  });
});

describe('a waterfall bar', () => {
  const spans = [
    span('root', undefined, 0, { duration_ms: 100 }),
    span('half', 'root', 50, { duration_ms: 25 }),
  ];
  const timeline = buildTimeline(spans);

  it('has the position and width of its span', () => {
    expect(placeBar(spans[0]!, timeline)).toEqual({ offset: 0, width: 1 });
    expect(placeBar(spans[1]!, timeline)).toEqual({ offset: 0.5, width: 0.25 });
  });

  it('extends to the end for an unfinished span', () => {
    const unfinished = span('open', 'root', 75, { status: 'unfinished' });
    expect(placeBar(unfinished, timeline)).toEqual({ offset: 0.75, width: 0.25 });
  });

  it('stays inside the timeline', () => {
    const skewed = span('skewed', 'root', 90, { duration_ms: 5_000 });
    expect(placeBar(skewed, timeline)).toEqual({ offset: 0.9, width: expect.closeTo(0.1) });
  });

  it('accepts a span without duration and a trace without spans', () => {
    const instant = span('instant', undefined, 0, { duration_ms: 0 });
    expect(placeBar(instant, buildTimeline([instant]))).toEqual({ offset: 0, width: 0 });
    expect(buildTimeline([])).toEqual({ startUs: 0, lengthUs: 1 });
  });
});

describe('treeMove', () => {
  const roots = buildTree([
    span('root'),
    span('one', 'root', 1),
    span('below', 'one', 2),
    span('two', 'root', 3),
  ]);
  const open = visibleRows(roots, new Set());
  const folded = visibleRows(roots, new Set(['one']));

  it.each([
    ['ArrowDown', 'root', { select: 'one' }],
    ['ArrowDown', 'two', undefined],
    ['ArrowUp', 'two', { select: 'below' }],
    ['Home', 'two', { select: 'root' }],
    ['End', 'root', { select: 'two' }],
    ['ArrowRight', 'one', { select: 'below' }],
    ['ArrowRight', 'below', undefined],
    ['ArrowLeft', 'one', { toggle: 'one' }],
    ['ArrowLeft', 'below', { select: 'one' }],
    ['ArrowLeft', 'two', { select: 'root' }],
    ['x', 'root', undefined],
  ])('returns for %s on %s: %p', (key, selectedId, move) => {
    expect(treeMove(key, open, selectedId)).toEqual(move);
  });

  it('expands a collapsed row before it moves into it', () => {
    expect(treeMove('ArrowRight', folded, 'one')).toEqual({ toggle: 'one' });
  });
});

describe('failures', () => {
  const failed = { status: 'error' } as const;
  const rows = visibleRows(
    buildTree([
      span('root'),
      span('agent', 'root', 1, failed),
      span('fine', 'agent', 2),
      span('tool', 'agent', 3, failed),
      span('later', 'root', 4, failed),
    ]),
  );

  it('start at the span where the first error began', () => {
    expect(firstFailure(rows)?.id).toBe('tool');
    expect(firstFailure(visibleRows(buildTree([span('root')])))).toBeUndefined();
    expect(firstFailure(visibleRows(buildTree([span('root', undefined, 0, failed)])))?.id).toBe('root');
  });

  it.each([
    ['root', 'agent'],
    ['agent', 'tool'],
    ['fine', 'tool'],
    ['tool', 'later'],
    ['later', 'agent'],
    ['gone', 'agent'],
  ])('continue after %s with %s', (selected, next) => {
    expect(nextFailure(rows, selected)?.id).toBe(next);
  });
});
