import fc from 'fast-check';
import { EMPTY, Subject, VirtualTimeScheduler } from 'rxjs';
import { type ContextFrame, contextStorage } from '../../src/context/context-storage.js';
import { findRxjsCopy } from '../../src/context/observables/rxjs-copy.js';
import {
  holdSubscribersContext,
  releaseSubscribersContext,
} from '../../src/context/observables/subscribe-wrapper.js';
import { buildPipeline, type Item, type Pipeline, pipelines } from './random-pipelines.js';

const END = 60;

interface UserPlan {
  readonly pipeline: Pipeline;
  readonly from: number;
  /** `undefined`: stays to the end. */
  readonly until: number | undefined;
}

interface Feed {
  readonly at: number;
  readonly by: number;
  readonly to: 'hot' | 'other';
  readonly value: number;
}

interface Outcome {
  /** What each user received. */
  readonly received: string[][];
  /** Items in functions that ran in the context of another user. */
  readonly strayed: Item[];
  readonly checks: number;
}

const times = fc.nat(END - 10);
const plans = fc.array(
  fc.record({ pipeline: pipelines, from: times, until: fc.option(times, { nil: undefined }) }),
  { minLength: 2, maxLength: 4 },
);
const feeds = fc.array(
  fc.record({
    at: times,
    by: fc.nat(3),
    to: fc.constantFrom('hot' as const, 'other' as const),
    value: fc.nat(8),
  }),
  { minLength: 1, maxLength: 20 },
);

/** Users subscribe, leave and emit to each other in virtual time; each does so in a context of his own. */
function run(users: readonly UserPlan[], sources: readonly Feed[]): Outcome {
  const scheduler = new VirtualTimeScheduler();
  const subjects = { hot: new Subject<number>(), other: new Subject<number>() };
  const frames = [...users, ...sources].map((): ContextFrame => ({
    trace: undefined,
    parentId: undefined,
    span: undefined,
    replay: undefined,
  }));
  const as = (user: number, work: () => void): void => {
    contextStorage.run(frames[user % users.length] as ContextFrame, work);
  };
  const strayed: Item[] = [];
  let checks = 0;
  const check = (item: Item): Item => {
    checks++;
    if (contextStorage.getStore() !== frames[item.user]) strayed.push(item);
    return item;
  };
  const received = users.map(({ pipeline, from, until }, user) => {
    const log: string[] = [];
    scheduler.schedule(() => {
      as(user, () => {
        const subscription = buildPipeline(pipeline, { ...subjects, scheduler, check, user }).subscribe({
          next: (item) => log.push(JSON.stringify(check(item))),
          error: (error: unknown) => log.push(String(error)),
          complete: () => log.push('complete'),
        });
        if (until === undefined) return;
        scheduler.schedule(() => {
          subscription.unsubscribe();
          log.push('left');
        }, until);
      });
    }, from);
    return log;
  });
  for (const { at, by, to, value } of sources)
    scheduler.schedule(() => {
      as(by, () => {
        subjects[to].next(value);
      });
    }, at);
  scheduler.schedule(() => {
    subjects.hot.complete();
    subjects.other.complete();
  }, END);
  scheduler.flush();
  return { received, strayed, checks };
}

describe('random pipelines of users who emit to each other', () => {
  it('return what they returned, and every function runs in the context of the user of its item', () => {
    const copy = findRxjsCopy(EMPTY);
    if (copy === undefined) throw new Error('RxJS was not recognised');
    let [mixed, checks] = [0, 0];
    fc.assert(
      fc.property(plans, feeds, (users, sources) => {
        const before = run(users, sources);
        const holder = {};
        holdSubscribersContext(holder, copy);
        try {
          const kept = run(users, sources);
          expect(kept.received).toEqual(before.received);
          expect(kept.strayed).toEqual([]);
          checks += kept.checks;
        } finally {
          releaseSubscribersContext(holder);
        }
        if (before.strayed.length > 0) mixed++;
      }),
      { numRuns: 500 },
    );
    // Without the wrapper most of them mix users: it is what keeps them apart.
    expect(mixed).toBeGreaterThan(100);
    expect(checks).toBeGreaterThan(1000);
  });
});
