import { setImmediate } from 'node:timers/promises';
import { Lanes } from './lanes.js';

describe('Lanes', () => {
  it('runs one piece of work per account at a time, and accounts concurrently', async () => {
    const lanes = new Lanes();
    const order: string[] = [];
    const work = (account: string, name: string, pauses: number) =>
      lanes.run(account, async () => {
        order.push(`${name} begins`);
        for (let pause = 0; pause < pauses; pause++) await setImmediate();
        order.push(`${name} ends`);
      });
    await Promise.all([work('a', 'a1', 4), work('a', 'a2', 0), work('b', 'b1', 1)]);
    expect(order).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends']);
  });

  it('continues after work that failed', async () => {
    const lanes = new Lanes();
    const failed = lanes.run('a', () => Promise.reject(new Error('no')));
    const next = lanes.run('a', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
