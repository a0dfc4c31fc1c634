import { setImmediate } from 'node:timers/promises';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('grants one turn per iteration of the event loop, in order of arrival', async () => {
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

  it('alternates between accounts, regardless of how much work one of them has', async () => {
    const turns = new Turns();
    const taken: string[] = [];
    const take = (account: string, name: string) => turns.next(account).then(() => taken.push(name));
    await Promise.all([take('a', 'a1'), take('a', 'a2'), take('a', 'a3'), take('b', 'b1'), turns.next()]);
    expect(taken).toEqual(['a1', 'b1', 'a2', 'a3']);
  });
});
