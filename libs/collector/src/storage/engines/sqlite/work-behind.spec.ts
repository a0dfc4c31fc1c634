import { once, EventEmitter } from 'node:events';
import { WorkBehind } from './work-behind.js';

describe('work behind ingest', () => {
  const events = new EventEmitter();

  it('starts once for several requests, and once more for requests during the work', async () => {
    let begun = 0;
    const behind = new WorkBehind(async () => {
      begun++;
      events.emit('begun');
      await once(events, 'end');
    }, 0);
    const first = once(events, 'begun');
    behind.wake();
    behind.wake();
    await first;
    behind.wake();
    const second = once(events, 'begun');
    events.emit('end');
    await second;
    expect(begun).toBe(2);
    events.emit('end');
    await behind.stop();
  });

  it('is begun again after a failure', async () => {
    const behind = new WorkBehind(() => {
      events.emit('begun');
      return Promise.reject(new Error('the disk is full'));
    }, 0);
    for (let time = 0; time < 2; time++) {
      const begun = once(events, 'begun');
      behind.wake();
      await begun;
    }
    await behind.stop();
  });

  it('runs its turns one after another, and none after it has stopped', async () => {
    const behind = new WorkBehind(() => Promise.resolve(), 0);
    const said: string[] = [];
    const turn = (name: string) => async (): Promise<void> => {
      said.push(`${name} begins`);
      await new Promise(setImmediate);
      said.push(`${name} ends`);
    };
    void behind.next(turn('one'));
    void behind.next(turn('two'));
    await behind.stop();
    expect(said).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });
});
