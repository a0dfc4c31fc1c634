import type { SpanSummary } from '@dacapo/protocol';
import fc from 'fast-check';
import { type AlignedRow, alignTraces } from './align-traces.js';

/** A span whose name is its id up to the dot: `tool.2` is the second call of `tool`. */
function span(id: string, parent_id?: string, startMs = 0): SpanSummary {
  return {
    id,
    ...(parent_id !== undefined && { parent_id }),
    trace_function_key: 'key',
    name: id.split('.')[0] ?? '',
    type: 'custom',
    status: 'ok',
    started_at: `2026-03-04T10:00:00.${String(startMs).padStart(3, '0')}000Z`,
  };
}

const shown = (rows: AlignedRow[]): string[] =>
  rows.map(
    ({ depth, left, right, isMoved }) =>
      `${'  '.repeat(depth)}${left?.id ?? '–'} | ${right?.id ?? '–'}${isMoved ? ' moved' : ''}`,
  );

describe('alignTraces', () => {
  it('pairs spans with the same name at every depth', () => {
    const left = [span('root'), span('tool.1', 'root', 1), span('deep', 'tool.1', 2)];
    const right = [span('root'), span('tool.9', 'root', 5), span('deep.9', 'tool.9', 6)];
    expect(shown(alignTraces(left, right))).toEqual([
      'root | root',
      '  tool.1 | tool.9',
      '    deep | deep.9',
    ]);
  });

  it('aligns only the two given calls and their descendants', () => {
    const left = [
      span('request'),
      span('call', 'request', 1),
      span('tool.1', 'call', 2),
      span('other', 'request', 3),
    ];
    const right = [span('replayed'), span('tool.7', 'replayed', 1)];
    expect(shown(alignTraces(left, right, { left: 'call', right: 'replayed' }))).toEqual([
      'call | replayed',
      '  tool.1 | tool.7',
    ]);
    expect(alignTraces(left, right, { left: 'gone', right: 'replayed' })).toEqual(alignTraces(left, right));
  });

  it('keeps a span of one trace with its descendants at its place', () => {
    const left = [span('root'), span('a', 'root', 1), span('c', 'root', 3)];
    const right = [
      span('root'),
      span('a', 'root', 1),
      span('b', 'root', 2),
      span('in', 'b', 2),
      span('c', 'root', 3),
    ];
    expect(shown(alignTraces(left, right))).toEqual([
      'root | root',
      '  a | a',
      '  – | b',
      '    – | in',
      '  c | c',
    ]);
    expect(shown(alignTraces(right, left))).toEqual([
      'root | root',
      '  a | a',
      '  b | –',
      '    in | –',
      '  c | c',
    ]);
  });

  it('pairs calls with the same name in order, and leaves extra calls unpaired', () => {
    const left = [span('root'), span('a.1', 'root', 1), span('a.2', 'root', 2)];
    const right = [span('root'), span('a.3', 'root', 1)];
    expect(shown(alignTraces(left, right))).toEqual(['root | root', '  a.1 | a.3', '  a.2 | –']);
  });

  it('marks moved spans', () => {
    const left = [span('root'), span('a', 'root', 1), span('b', 'root', 2)];
    const right = [span('root'), span('b', 'root', 1), span('a', 'root', 2)];
    expect(shown(alignTraces(left, right))).toEqual(['root | root', '  a | a', '  b | b moved']);
  });

  it('aligns a trace without spans, and keeps spans without a parent', () => {
    expect(shown(alignTraces([], [span('a', 'lost')]))).toEqual(['– | a']);
    expect(alignTraces([], [])).toEqual([]);
  });

  it('aligns traces of 3,000 levels', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) =>
      span(`s.${i}`, i === 0 ? undefined : `s.${i - 1}`),
    );
    expect(alignTraces(chain.slice(0, 3000), chain.slice(0, 3000))).toHaveLength(3000);
  });

  /** Random trees with few names. */
  const traces = fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20), fc.nat(9)), { maxLength: 15 })
    .map((made) =>
      made.map(([name, parent, startMs], index) => {
        const below = made[parent % (index + 1)]?.[0];
        const isRoot = index === 0 || parent % 5 === 0 || below === undefined;
        const at = parent % Math.max(1, index);
        return span(`${name}.${index}`, isRoot ? undefined : `${made[at]![0]}.${at}`, startMs);
      }),
    );
  const sides = (rows: AlignedRow[], side: 'left' | 'right'): string[] =>
    rows.flatMap((row) => row[side]?.id ?? []).sort();

  it('finds no difference between a trace and itself', () => {
    fc.assert(
      fc.property(traces, (trace) => {
        const rows = alignTraces(trace, trace);
        expect(rows).toHaveLength(trace.length);
        for (const { left, right, isMoved } of rows)
          expect([left?.id, isMoved]).toEqual([right?.id, undefined]);
      }),
    );
  });

  it('lists every span of both once, and mirrors when the traces are swapped', () => {
    fc.assert(
      fc.property(traces, traces, (left, right) => {
        const [rows, mirrored] = [alignTraces(left, right), alignTraces(right, left)];
        expect(sides(rows, 'left')).toEqual(left.map(({ id }) => id).sort());
        expect(sides(rows, 'right')).toEqual(right.map(({ id }) => id).sort());
        const pairs = (of: AlignedRow[], first: 'left' | 'right', second: 'left' | 'right'): string[] =>
          of.map((row) => `${row[first]?.id} ${row[second]?.id}`).sort();
        expect(pairs(mirrored, 'right', 'left')).toEqual(pairs(rows, 'left', 'right'));
      }),
    );
  });
});
