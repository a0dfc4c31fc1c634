import type { Observable, SchedulerLike } from 'rxjs';
import type { Creation } from './rxjs-version.js';
import type { Kit, Program } from './kit.js';

type Case = (kit: Kit, create: Creation) => Observable<unknown>;

const together: Case = ({ hot, notifier }, create) => create(hot, notifier);
const combined: Case = ({ hot, notifier, call }, create) =>
  create([hot, notifier], (...values: unknown[]) => call(values));

const CREATIONS: Readonly<Record<string, Case>> = {
  bindCallback: ({ callbacks, call }, create) =>
    createFromCallback(
      create,
      (done) => callbacks.push(done),
      (...args: unknown[]) => call(args),
    ),
  bindNodeCallback: ({ callbacks, call }, create) =>
    createFromCallback(
      create,
      (done) => callbacks.push(done),
      (...args: unknown[]) => call(args),
    ),
  combineLatest: combined,
  concat: ({ inner, notifier }, create) => create(inner('first'), notifier),
  connectable: ({ rx, hot, each }, create) => {
    const connected = create(hot.pipe(each), { connector: () => new rx.Subject() });
    (connected as Observable<unknown> & { connect(): unknown }).connect();
    return connected;
  },
  defer: ({ call, inner }, create) => create(() => inner(call('deferred'))),
  empty: (_kit, create) => create(),
  firstValueFrom: ({ rx, hot, each }, create) => rx.from(create(hot.pipe(each))),
  forkJoin: combined,
  from: ({ call }, create) => create(answers(call)),
  fromEvent: ({ op, emitter, call }, create) =>
    create(emitter, 'event', (...args: unknown[]) => call(args)).pipe(op('take')(1)),
  fromEventPattern: ({ op, emitter, call }, create) =>
    create(
      (listener: () => void) => call(emitter.on('event', listener)).listenerCount('event') > 0,
      (listener: () => void) => emitter.off('event', listener),
      (...args: unknown[]) => call(args),
    ).pipe(op('take')(1)),
  generate: ({ call }, create) =>
    create({
      initialState: 1,
      condition: (n: number) => call(n) < 3,
      iterate: (n: number) => call(n) + 1,
    }),
  iif: ({ call, inner, rx }, create) => create(() => call(true), inner('yes'), rx.EMPTY),
  interval: ({ op, scheduler }, create) => create(5, scheduler).pipe(op('take')(2)),
  lastValueFrom: ({ rx, hot, each }, create) => rx.from(create(hot.pipe(each))),
  merge: together,
  never: ({ op, notifier }, create) => create().pipe(op('takeUntil')(notifier)),
  of: (_kit, create) => create(1, 2),
  onErrorResumeNext: ({ failing, inner }, create) => create(failing, inner('instead')),
  pairs: (_kit, create) => create({ one: 1 }),
  partition: ({ rx, hot, call }, create) => {
    const parts = create(hot, (value: number) => call(value % 2) === 1);
    return rx.merge(...(parts as unknown as Observable<unknown>[]));
  },
  race: together,
  range: (_kit, create) => create(1, 3),
  scheduled: ({ scheduler }, create) => create([1, 2], scheduler),
  throwError: ({ call }, create) => create(() => call('failed')),
  timer: ({ op, scheduler }, create) => create(5, 5, scheduler).pipe(op('take')(2)),
  using: ({ call, inner }, create) =>
    create(
      () => ({ unsubscribe: () => call('freed') }),
      () => inner(call('used')),
    ),
  zip: ({ hot, notifier, call }, create) => create(hot, notifier, (...values: unknown[]) => call(values)),
};

const CONSTANTS: Readonly<Record<string, (kit: Kit) => Observable<unknown>>> = {
  EMPTY: ({ rx, inner }) => rx.concat(rx.EMPTY, inner()),
  NEVER: ({ rx, op, notifier }) => rx.NEVER.pipe(op('takeUntil')(notifier)),
  Observable: ({ rx, hot, call }) =>
    new rx.Observable((subscriber) =>
      hot.subscribe({
        next: (value) => {
          subscriber.next(call(value));
        },
        complete: () => {
          subscriber.complete();
        },
      }),
    ),
  Subject: ({ hot }) => hot,
  BehaviorSubject: (kit) => createSubject(kit, new kit.rx.BehaviorSubject<unknown>('first')),
  ReplaySubject: (kit) => createSubject(kit, new kit.rx.ReplaySubject()),
  AsyncSubject: (kit) => createSubject(kit, new kit.rx.AsyncSubject()),
  Subscriber: ({ rx, hot, call }) =>
    new rx.Observable((subscriber) => {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- operators of applications use it
      const step = new rx.Subscriber({
        next: (value: unknown) => {
          subscriber.next(call(value));
        },
        error: () => undefined,
        complete: () => {
          subscriber.complete();
        },
      });
      return hot.subscribe(step);
    }),
};

/** What one user's subscription emits through `subject` is heard by the same user. */
function createSubject(
  { rx, hot, each }: Kit,
  subject: Observable<unknown> & { next(value: unknown): void },
) {
  return rx.defer(() => {
    hot.pipe(each).subscribe(subject as never);
    return subject;
  });
}

/** Actions of one turn run in one go, in the context of the first. */
const SCHEDULERS = ['asap', 'asapScheduler', 'async', 'asyncScheduler', 'queue', 'queueScheduler'];

function scheduledOn(name: string): Program {
  return ({ rx, op, each, inner }) => {
    const scheduler = (rx as unknown as Record<string, SchedulerLike>)[name];
    return rx
      .of(1, 2)
      .pipe(each, op('observeOn')(scheduler), each, op('subscribeOn')(scheduler), op('concatWith')(inner()));
  };
}

/** A program for each function that makes an Observable, for each class of them, and for each scheduler. */
export const CREATION_PROGRAMS: Readonly<Record<string, Program>> = Object.fromEntries([
  ...Object.entries(CREATIONS).map(([name, build]): [string, Program] => [
    name,
    (kit) => build(kit, kit.creations[name] as Creation),
  ]),
  ...Object.entries(CONSTANTS),
  ...SCHEDULERS.map((name): [string, Program] => [name, scheduledOn(name)]),
]);

/** What RxJS exports beside Observables and what works on them. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  animationFrame: 'needs requestAnimationFrame',
  animationFrameScheduler: 'needs requestAnimationFrame',
  animationFrames: 'needs requestAnimationFrame',
  ArgumentOutOfRangeError: 'an error',
  EmptyError: 'an error',
  NotFoundError: 'an error',
  ObjectUnsubscribedError: 'an error',
  SequenceError: 'an error',
  TimeoutError: 'an error',
  UnsubscriptionError: 'an error',
  config: 'settings',
  ConnectableObservable: 'made by publish and multicast',
  identity: 'calls nothing',
  noop: 'calls nothing',
  pipe: 'calls operators, of which each has a program',
  isObservable: 'calls nothing',
  Notification: 'a value',
  NotificationKind: 'a value',
  observable: 'a symbol',
  Scheduler: 'the class of the schedulers',
  Subscription: 'has a teardown alone',
  VirtualAction: 'part of VirtualTimeScheduler',
  VirtualTimeScheduler: 'drives these programs',
};

async function* answers(call: <T>(value: T) => T): AsyncGenerator<string> {
  await Promise.resolve();
  yield call('first');
  await new Promise(setImmediate);
  yield call('second');
}

function createFromCallback(
  create: Creation,
  wait: (done: (...args: unknown[]) => void) => void,
  select: (...args: unknown[]) => unknown,
): Observable<unknown> {
  const bound = create(wait, select) as unknown as () => Observable<unknown>;
  return bound();
}
