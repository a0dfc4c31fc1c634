import { TimedTurns } from './timed-turns.js';

describe('TimedTurns', () => {
  let now: number;
  let given: number;
  let turns: TimedTurns;

  beforeEach(() => {
    now = 0;
    given = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    turns = new TimedTurns({
      next: () => {
        given++;
        // Others had their turns.
        now += 1000;
        return Promise.resolve();
      },
    });
  });

  afterEach(() => jest.restoreAllMocks());

  async function work(steps: number, msEach: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      if (turns.isOver) await turns.next();
      now += msEach;
    }
  }

  it('waits for a turn before the first step', async () => {
    await work(1, 0);
    expect(given).toBe(1);
  });

  it('runs many short steps in one turn, and each long step in its own', async () => {
    await work(99, 0.1);
    expect(given).toBe(1);
    await work(5, 50);
    expect(given).toBe(5);
  });
});
