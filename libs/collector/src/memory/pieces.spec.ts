import { Pieces } from './pieces.js';
import { Turns } from './turns.js';

class CountedTurns extends Turns {
  taken = 0;

  override next(): Promise<void> {
    this.taken++;
    return super.next();
  }
}

describe('Pieces', () => {
  it.each([
    ['takes no turn for work that fits into one piece', [4, 3, 3], 0],
    ['waits for a turn when work no longer fits', [4, 3, 4], 1],
    ['counts from 0 after a turn', [6, 6, 4, 1], 2],
    ['makes larger work a piece of its own', [11, 1, 25, 30], 3],
  ])('%s', async (_, sizes, turns) => {
    const counted = new CountedTurns();
    const pieces = new Pieces(10, counted);
    for (const size of sizes) await pieces.fit(size);
    expect(counted.taken).toBe(turns);
  });
});
