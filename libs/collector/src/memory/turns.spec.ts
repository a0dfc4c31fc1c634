import { setImmediate } from 'node:timers/promises';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('gives one turn each time round the event loop, to whoever came first', async () => {
    const turns = new Turns();
    const taken: number[] = [];
    for (const one of [1, 2, 3]) void turns.next().then(() => taken.push(one));
    const seen: number[] = [];
    while (taken.length < 3) {
      await setImmediate();
      seen.push(taken.length);
    }
    expect(taken).toEqual([1, 2, 3]);
    expect(seen).toEqual([1, 2, 3]);
  });
});
