import type { MaskedItem } from '@dacapo/tracer/internal';
import { EvalGrid, type EvalGridParts } from './eval-grid.js';
import { gridTable } from './grid-table.js';

const item = (itemNo: number, outcome: Partial<MaskedItem>): MaskedItem => ({
  itemNo,
  input: [`message ${itemNo}`],
  verdict: 'same',
  scores: [],
  ...outcome,
});
const makeGrid = (variants: string[], parts: Partial<EvalGridParts> = {}): EvalGrid =>
  new EvalGrid(variants, {
    names: [],
    keepsValues: false,
    identify: ({ itemNo }) => String(itemNo),
    ...parts,
  });
const correct = (score: number | boolean | string | null): Pick<MaskedItem, 'scores'> => ({
  scores: [{ name: 'correct', score }],
});
const show = (grid: EvalGrid, width?: number): string[] =>
  gridTable(grid, grid.rows(), width).trimEnd().split('\n');

describe('The table of an evaluation', () => {
  it('shows input, output, scores and duration of each item, in item order', () => {
    const grid = makeGrid([''], { names: ['late parcel'] });
    grid.add('', item(1, { result: { category: 'billing' }, durationMs: 7, ...correct(0.5) }));
    grid.add('', item(0, { result: 'delivery', durationMs: 12.25, ...correct(true) }));
    expect(show(grid)).toEqual([
      'Item         Input      Output                  correct  Duration',
      'late parcel  message 0  delivery                1        12.3 ms',
      '#1           message 1  {"category":"billing"}  0.5      7 ms',
    ]);
  });

  it('shows errors, and a dash for a missing score', () => {
    const grid = makeGrid(['']);
    grid.add('', item(0, { error: new TypeError('no\nparcel'), verdict: 'error', ...correct(null) }));
    grid.add('', item(1, { error: { status: 500 }, verdict: 'error' }));
    expect(show(grid)).toEqual([
      'Item  Input      Output                  correct  Duration',
      '#0    message 0  TypeError: no parcel    -        -',
      '#1    message 1  Thrown: {"status":500}  -        -',
    ]);
  });

  it('has a column for each variant, with means', () => {
    const grid = makeGrid(['short', 'polite']);
    grid.add('short', item(0, { result: 'a', ...correct(1) }));
    grid.add('short', item(1, { result: 'b', ...correct(0) }));
    grid.add('polite', item(0, { result: 'c', ...correct(1) }));
    expect(show(grid)).toEqual([
      'Item  Input      short        polite',
      '#0    message 0  (1) a        (1) c',
      '#1    message 1  (0) b        …',
      '      Mean       correct 0.5  correct 1 of 1',
    ]);
  });

  it('pairs recorded calls by span, even when a call is recorded between two variants', () => {
    const grid = makeGrid(['a', 'b'], { identify: ({ sourceSpanId = '' }) => sourceSpanId });
    grid.add(
      'a',
      item(0, { input: ['old'], sourceSpanId: 's1', result: 1, sessionId: 'ann', ...correct(1) }),
    );
    grid.add('b', item(0, { input: ['new'], sourceSpanId: 's2', result: 2, ...correct(0) }));
    grid.add(
      'b',
      item(1, { input: ['old'], sourceSpanId: 's1', result: 3, sessionId: 'ann', ...correct(0) }),
    );
    expect(show(grid).slice(1, 3)).toEqual([
      '#0    old    (1) 1           (0) 3',
      '#0    new    …               (0) 2',
    ]);
    expect(grid.scores().map(({ scores }) => [...(scores.get('correct') ?? [])])).toEqual([
      [[0, 1]],
      [
        [0, 0],
        [1, 0],
      ],
    ]);
    expect(grid.sessions()).toEqual(new Map([[0, 'ann']]));
  });

  it('shows equal repetitions once, and counts an item only if each repetition has the score', () => {
    const grid = makeGrid(['']);
    const repeated = (repetition: number, result: string, score: number | null): void => {
      grid.add('', item(repetition < 2 ? 0 : 1, { repetition, result, ...correct(score) }));
    };
    repeated(0, 'a', 1);
    repeated(1, 'a', 0);
    repeated(2, 'b', 1);
    repeated(3, 'c', null);
    expect(show(grid).slice(1)).toEqual([
      '#0    message 0  a       0.5      -',
      '#1    message 1  b | c   -        -',
    ]);
    expect(grid.scores()[0]?.scores.get('correct')).toEqual(new Map([[0, 0.5]]));
  });

  it('cuts the widest columns to the width of the terminal', () => {
    const grid = makeGrid(['']);
    grid.add('', item(0, { input: ['i'.repeat(90)], result: 'o'.repeat(90), ...correct(1) }));
    const [heading = '', row = ''] = show(grid, 60);
    expect(row.length).toBeLessThanOrEqual(60);
    expect(row).toMatch(/^#0 {4}i+… {2}o+… {2}1/);
    expect(heading).toContain('correct');
  });

  it('prints no control characters', () => {
    const grid = makeGrid(['']);
    grid.add('', item(0, { result: '\u001b[31mred\nnext' }));
    expect(show(grid)[1]).toContain('[31mred next');
    expect(show(grid)).toHaveLength(2);
  });

  it('keeps outputs as JSON only on request', () => {
    const output = (keepsValues: boolean): unknown => {
      const grid = makeGrid([''], { keepsValues });
      grid.add('', item(0, { result: { at: new Date(0), big: 1 } }));
      return grid.rows()[0]?.cells.get('')?.[0]?.output;
    };
    expect(output(true)).toEqual({ at: '1970-01-01T00:00:00.000Z', big: 1 });
    expect(output(false)).toBeUndefined();
  });
});
