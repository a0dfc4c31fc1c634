import { Progress } from './progress.js';

class Screen {
  text = '';
  constructor(readonly isTTY?: boolean) {}
  write(text: string): void {
    this.text += text;
  }
  /** The visible lines: `\r` and the clearing code start a line again. */
  get lines(): string[] {
    return this.text.split('\n').map((line) => line.split('\r\u001b[2K').at(-1) ?? '');
  }
}

const RUN = { testRunId: 'r', testRunUrl: 'http://h/test-runs/r', items: 25, calls: 25, replayedBefore: 0 };

describe('The progress of a run', () => {
  it('is a redrawn bar on a terminal, removed at the end', () => {
    const screen = new Screen(true);
    const progress = new Progress(screen);
    progress.start(RUN);
    expect(screen.lines.at(-1)).toBe(`${'░'.repeat(24)} 0/25  `);
    for (let n = 0; n < 12; n++) progress.add('same');
    progress.add('changed');
    expect(screen.lines.at(-1)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)} 13/25  12 same, 1 changed`);
    for (let n = 0; n < 12; n++) progress.add('same');
    expect(screen.lines.at(-1)).toBe(`${'█'.repeat(24)} 25/25  24 same, 1 changed`);
    progress.end();
    expect(screen.lines).toEqual(['Test run r: 25 items', 'http://h/test-runs/r', '']);
  });

  it('is at most ten plain lines elsewhere', () => {
    const screen = new Screen();
    const progress = new Progress(screen);
    progress.start({ ...RUN, items: 1000, calls: 1000 });
    for (let n = 0; n < 1000; n++) progress.add('same');
    progress.end();
    expect(screen.lines.slice(2, -1)).toEqual(
      [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000].map((n) => `${n} of 1000: ${n} same`),
    );
    expect(screen.text).not.toContain('\r');
  });

  it('counts items that were replayed before the run was resumed', () => {
    const screen = new Screen(true);
    const progress = new Progress(screen);
    progress.start({ ...RUN, replayedBefore: 20 });
    progress.add('error');
    expect(screen.lines[0]).toBe('Test run r: 25 items, 20 replayed before');
    expect(screen.lines.at(-1)).toMatch(/ 21\/25 {2}1 error$/);
  });

  it('counts repetitions of items', () => {
    const screen = new Screen();
    const progress = new Progress(screen);
    progress.start({ ...RUN, items: 14, calls: 42 });
    for (let n = 0; n < 42; n++) progress.add('same');
    expect(screen.lines[0]).toBe('Test run r: 14 items, 42 calls');
    expect(screen.lines.at(-2)).toBe('42 of 42: 42 same');
  });

  it('prints nothing for a run that did not start', () => {
    const screen = new Screen(true);
    new Progress(screen).end();
    expect(screen.text).toBe('');
  });
});
