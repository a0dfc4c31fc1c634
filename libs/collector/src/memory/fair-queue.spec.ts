import { FairQueue } from './fair-queue.js';

describe('FairQueue', () => {
  it('serves accounts in turn, and keeps the order within one account', async () => {
    const queue = new FairQueue();
    const done: string[] = [];
    const add = (account: string, name: string) =>
      queue.run(account, async () => {
        await Promise.resolve();
        done.push(name);
      });
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4'].map((name) => add('a', name)),
      ...['b1', 'b2'].map((name) => add('b', name)),
      add('c', 'c1'),
    ]);
    expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('runs one piece of work at a time', async () => {
    const queue = new FairQueue();
    let running = 0;
    const most = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        queue.run(`acc_${n % 3}`, async () => {
          running++;
          await new Promise(setImmediate);
          return running--;
        }),
      ),
    );
    expect(most).toEqual(Array(20).fill(1));
  });

  it('continues after work that failed', async () => {
    const queue = new FairQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
