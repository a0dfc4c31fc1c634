import type { MaskedItem } from '@dacapo/tracer/internal';
import { EvalGrid } from './eval-grid.js';
import { LiveGrid } from './live-grid.js';

const item = (itemNo: number): MaskedItem => ({
  itemNo,
  input: [`message ${itemNo}`],
  result: 'other',
  verdict: 'same',
  scores: [],
});
const run = { testRunId: 'r', testRunUrl: '', items: 3, calls: 3, replayedBefore: 0 };

/** What a terminal of so many lines was last drawn, or what was printed where there is none. */
const fill = (
  stderr: { isTTY?: boolean; rows?: number },
  items: number[],
  { isQuiet = false, stepMs = 100 } = {},
) => {
  let drawn = '';
  let printed = '';
  const grid = new EvalGrid([''], {
    names: [],
    keepsValues: false,
    identify: ({ itemNo }) => String(itemNo),
  });
  let nowMs = 0;
  const sink = { ...stderr, columns: 80, write: (text: string) => (printed += text) };
  const live = new LiveGrid(
    grid,
    { stderr: { ...sink, ...(stderr.isTTY && { redraw: (block: string) => (drawn = block) }) } },
    isQuiet,
    () => nowMs,
  );
  live.start('', run);
  for (const itemNo of items) {
    nowMs += stepMs;
    grid.add('', item(itemNo));
    live.add(item(itemNo));
  }
  const last = drawn;
  live.end();
  return { last, left: drawn, printed };
};

describe('A live grid', () => {
  it('is redrawn on a terminal, and removed at the end', () => {
    const { last, left, printed } = fill({ isTTY: true }, [1, 0]);
    expect(last.split('\n')).toEqual([
      'Item  Input      Output  Duration',
      '#0    message 0  other   -',
      '#1    message 1  other   -',
      '2 of 3',
    ]);
    expect([left, printed]).toEqual(['', '']);
  });

  it('fits the terminal, and shows the item that changed', () => {
    const { last } = fill({ isTTY: true, rows: 7 }, [0, 1, 2]);
    expect(last.split('\n').slice(1, -1)).toEqual([
      '#1    message 1  other   -',
      '#2    message 2  other   -',
    ]);
    expect(fill({ isTTY: true, rows: 7 }, [2, 1, 0]).last).toContain('#0');
  });

  it('is drawn at most ten times a second', () => {
    const { last } = fill({ isTTY: true }, [0, 1, 2], { stepMs: 60 });
    expect(last.split('\n').slice(1)).toEqual([
      '#0    message 0  other   -',
      '#1    message 1  other   -',
      '2 of 3',
    ]);
  });

  it('prints progress lines without a terminal', () => {
    expect(fill({}, [0, 1, 2]).printed).toBe(
      'Test run r: 3 items\n1 of 3: 1 same\n2 of 3: 2 same\n3 of 3: 3 same\n',
    );
  });

  it('prints nothing with --json', () => {
    expect(fill({ isTTY: true }, [0], { isQuiet: true })).toEqual({ last: '', left: '', printed: '' });
  });
});
