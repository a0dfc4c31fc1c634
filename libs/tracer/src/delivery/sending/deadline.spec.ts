import { ManualTimers } from '../../../test/delivery/manual-timers.js';
import { Deadline } from './deadline.js';

const turn = () => new Promise(setImmediate);

describe('A deadline', () => {
  it('expires after its time', async () => {
    const timers = new ManualTimers();
    const expire = jest.fn();
    new Deadline(timers, 1000, expire);
    for (let slice = 0; slice < 4; slice++) {
      expect(expire).not.toHaveBeenCalled();
      timers.advance(250);
      await turn();
    }
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('fault 27: a loop that was blocked for an hour uses up a quarter of it', async () => {
    const timers = new ManualTimers();
    const expire = jest.fn();
    new Deadline(timers, 1000, expire);
    timers.advance(3_600_000);
    await turn();
    timers.advance(500);
    await turn();
    expect(expire).not.toHaveBeenCalled();
  });

  it('does not expire once it is cancelled, even between the timer and the turn after it', async () => {
    const timers = new ManualTimers();
    const expire = jest.fn();
    const deadline = new Deadline(timers, 4, expire);
    for (let slice = 0; slice < 4; slice++) timers.advance(1);
    deadline.cancel();
    await turn();
    timers.advance(1000);
    await turn();
    expect(expire).not.toHaveBeenCalled();
  });
});
