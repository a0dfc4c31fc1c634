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
    ['what fits into one takes no turn', [4, 3, 3], 0],
    ['what no longer fits waits for one', [4, 3, 4], 1],
    ['what came after a turn counts alone', [6, 6, 4, 1], 2],
    ['what is larger than a piece is one of its own', [11, 1, 25, 30], 3],
  ])('%s', async (_, sizes, turns) => {
    const counted = new CountedTurns();
    const pieces = new Pieces(10, counted);
    for (const size of sizes) await pieces.fit(size);
    expect(counted.taken).toBe(turns);
  });
});
