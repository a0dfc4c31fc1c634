import { asapScheduler, EMPTY, generate, type SchedulerLike, Subject } from 'rxjs';
import { type ContextFrame, contextStorage } from '../../src/context/context-storage.js';
import { findRxjsCopy } from '../../src/context/observables/rxjs-copy.js';
import {
  holdSubscribersContext,
  releaseSubscribersContext,
} from '../../src/context/observables/subscribe-wrapper.js';

const newFrame = (): ContextFrame => ({
  trace: undefined,
  parentId: undefined,
  span: undefined,
  replay: undefined,
});

/** What docs/nestjs-context.md lists as not covered. A test that fails here has become good news. */
describe('the context of the subscriber is not kept for', () => {
  const holder = {};
  beforeAll(() => {
    const copy = findRxjsCopy(EMPTY);
    if (copy !== undefined) holdSubscribersContext(holder, copy);
  });
  afterAll(() => {
    releaseSubscribersContext(holder);
  });

  /** Where the work of two users ran who scheduled it in the same turn. */
  async function ranIn(schedule: (note: () => void) => void): Promise<[own: number, strayed: number]> {
    let [own, strayed] = [0, 0];
    for (const user of [newFrame(), newFrame()])
      contextStorage.run(user, schedule, () => {
        if (contextStorage.getStore() === user) own++;
        else strayed++;
      });
    await new Promise(setImmediate);
    return [own, strayed];
  }

  it('functions that asapScheduler calls itself: those of the second user run for the first', async () => {
    expect(await ranIn((note) => asapScheduler.schedule(note))).toEqual([1, 1]);
    const scheduler: SchedulerLike = asapScheduler;
    const once = (note: () => void): unknown =>
      generate({
        initialState: 0,
        iterate: (n) => n + 1,
        condition: (n) => (note(), n < 0),
        scheduler,
      }).subscribe();
    expect(await ranIn(once)).toEqual([1, 1]);
  });

  it('a listener of another library that a source of yours adds, until it emits', () => {
    const listeners: (() => void)[] = [];
    const [user, feeder] = [newFrame(), newFrame()];
    const at: unknown[] = [];
    const here = (): number => at.push(contextStorage.getStore());
    contextStorage.run(user, () => {
      const subject = new Subject<void>();
      subject.subscribe(here);
      listeners.push(() => {
        here();
        subject.next();
      });
    });
    contextStorage.run(feeder, () => listeners[0]?.());
    expect(at[0]).toBe(feeder);
    expect(at[1]).toBe(user);
  });
});
