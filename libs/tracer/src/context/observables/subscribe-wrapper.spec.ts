import { inspect } from 'node:util';
import * as rx from 'rxjs';
import {
  BehaviorSubject,
  from,
  map,
  mergeMap,
  Observable,
  of,
  type Observer,
  share,
  Subject,
  switchMap,
} from 'rxjs';
import { type ContextFrame, contextStorage } from '../context-storage.js';
import { findRxjsCopy } from './rxjs-copy.js';
import { holdSubscribersContext, releaseSubscribersContext } from './subscribe-wrapper.js';

const oldest = jest.requireActual<typeof rx>('rxjs-oldest');
const subscribe = Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe');
let holder: object;

beforeEach(() => {
  holder = {};
  hold(rx.EMPTY);
});
afterEach(() => {
  releaseSubscribersContext(holder);
  expect(Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')).toEqual(subscribe);
});

function hold(observable: object): void {
  const copy = findRxjsCopy(observable);
  if (copy !== undefined) holdSubscribersContext(holder, copy);
}

const newFrame = (parts: Partial<ContextFrame> = {}): ContextFrame => ({
  trace: undefined,
  parentId: undefined,
  span: undefined,
  replay: undefined,
  ...parts,
});
const inFrame = <T>(frame: ContextFrame, work: () => T): T => contextStorage.run(frame, work);
const here = (): ContextFrame | undefined => contextStorage.getStore();

/** Where the consumer of each subscription of two users hears of what a third one emits. */
function heardBy(source: (subject: Subject<number>) => Observable<unknown>): void {
  const subject = new Subject<number>();
  const shared = source(subject);
  const users = [newFrame(), newFrame()];
  const heard = users.map((user) => {
    const at: unknown[] = [];
    inFrame(user, () => shared.subscribe(() => at.push(here())));
    return at;
  });
  inFrame(newFrame(), () => {
    subject.next(1);
    subject.next(2);
  });
  for (const [index, at] of heard.entries()) {
    expect(at).toHaveLength(2);
    for (const frame of at) expect(frame).toBe(users[index]);
  }
}

describe('the wrapper of subscribe', () => {
  it.each<[string, (subject: Subject<number>) => Observable<unknown>]>([
    ['a Subject', (subject) => subject],
    ['asObservable', (subject) => subject.asObservable()],
    ['share', (subject) => subject.pipe(share())],
    [
      'operators below share',
      (subject) =>
        subject.pipe(
          share(),
          mergeMap((value) => of(value)),
        ),
    ],
    [
      'a subclass',
      (subject) => new (class Feed extends Observable<number> {})((to) => subject.subscribe(to)),
    ],
    [
      'an interop object',
      (subject) => from({ '@@observable': () => subject } as unknown as Observable<number>),
    ],
  ])('delivers to each of several users in his own context: %s', (_name, source) => {
    heardBy(source);
  });

  it('delivers across two copies of RxJS', () => {
    hold(oldest.EMPTY);
    heardBy((subject) => from(oldest.from(subject)));
  });

  it('runs a subscription made outside any context in the context that feeds it, with later subscriptions', () => {
    const [events, others] = [new Subject<string>(), new Subject<string>()];
    const at: unknown[] = [];
    events.pipe(switchMap(() => others)).subscribe(() => at.push(here()));
    const [first, second] = [newFrame(), newFrame()];
    inFrame(first, () => {
      events.next('open');
    });
    inFrame(second, () => {
      others.next('item');
    });
    expect(at).toHaveLength(1);
    expect(at[0]).toBe(second);
  });

  it('leaves code that opened a span of the same request around subscribe inside that span', () => {
    const request = newFrame();
    const span = newFrame({ within: request });
    const at: unknown[] = [];
    const source = new Observable<number>((subscriber) => {
      at.push(here());
      subscriber.next(1);
    });
    const inSpan = new Observable<number>((subscriber) => inFrame(span, () => source.subscribe(subscriber)));
    inFrame(Object.assign(request, { within: request }), () => inSpan.subscribe(() => at.push(here())));
    expect(at).toHaveLength(2);
    expect(at[0]).toBe(span);
    expect(at[1]).toBe(request);
  });

  it('unsubscribes in the context of the subscription', () => {
    const user = newFrame();
    const at: unknown[] = [];
    const subscription = inFrame(user, () => new Observable(() => () => at.push(here())).subscribe());
    inFrame(newFrame(), () => {
      subscription.unsubscribe();
    });
    expect(at[0]).toBe(user);
    expect(subscription.closed).toBe(true);
  });

  it('leaves a subscriber with its own methods, or a frozen one, alone', () => {
    const made = (): Observer<number> & object => {
      const heard: number[] = [];
      const nothing = (): void => undefined;
      return Object.assign(
        {
          closed: false,
          add: nothing,
          remove: nothing,
          unsubscribe: nothing,
          error: nothing,
          complete: nothing,
          heard,
        },
        { next: (value: number) => heard.push(value) },
      );
    };
    for (const observer of [made(), Object.freeze(made())]) {
      inFrame(newFrame(), () => of(1).subscribe(observer));
      expect(observer).toMatchObject({ heard: [1] });
    }
  });

  it('shows nothing of the context when a subscription is printed', () => {
    const user = Object.assign(newFrame(), { secret: 'key-123' });
    expect(
      inspect(
        inFrame(user, () => new Subject().subscribe()),
        { depth: 9 },
      ),
    ).not.toContain('key-123');
  });

  it('keeps the name and the length of subscribe', () => {
    const wrapped = Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')?.value as () => void;
    const { name, length } = subscribe?.value as () => void;
    expect([wrapped.name, wrapped.length]).toEqual([name, length]);
  });

  it('passes on errors', () => {
    const broken = Object.assign(new Observable(), {
      operator: {
        call: () => {
          throw new Error('broken');
        },
      },
    });
    for (const frame of [undefined, newFrame()])
      expect(() => contextStorage.run(frame as ContextFrame, () => broken.subscribe())).toThrow('broken');
  });

  it('is removed with its last holder, and open subscriptions keep their context', () => {
    const other = {};
    const copy = findRxjsCopy(rx.EMPTY);
    if (copy !== undefined) holdSubscribersContext(other, copy);
    releaseSubscribersContext(holder);
    const subject = new BehaviorSubject(0);
    const [user, feeder] = [newFrame(), newFrame()];
    const at: unknown[] = [];
    inFrame(user, () => subject.pipe(map(here)).subscribe({ next: (frame) => at.push(frame) }));
    releaseSubscribersContext(other);
    expect(Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')).toEqual(subscribe);
    inFrame(user, () => subject.subscribe(() => at.push(here())));
    at.length = 0;
    inFrame(feeder, () => {
      subject.next(1);
    });
    expect(at).toHaveLength(2);
    expect(at[0]).toBe(user);
    expect(at[1]).toBe(feeder);
    hold(rx.EMPTY);
    expect(Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')).toEqual(subscribe);
  });

  it('does nothing below a wrapper that another library added on top', () => {
    const ours = Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe');
    const theirs = function (this: object, ...args: unknown[]): unknown {
      return Reflect.apply(ours?.value as () => void, this, args);
    };
    Object.defineProperty(Observable.prototype, 'subscribe', { ...ours, value: theirs });
    releaseSubscribersContext(holder);
    expect(Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')?.value).toBe(theirs);
    const [subject, feeder] = [new Subject(), newFrame()];
    const at: unknown[] = [];
    inFrame(newFrame(), () => subject.subscribe(() => at.push(here())));
    inFrame(feeder, () => {
      subject.next(1);
    });
    expect(at[0]).toBe(feeder);
    Object.defineProperty(Observable.prototype, 'subscribe', subscribe as PropertyDescriptor);
  });
});

describe('a copy of RxJS', () => {
  it('is found from any result of it', () => {
    const copy = findRxjsCopy(rx.EMPTY);
    for (const observable of [new Subject(), of(1), new (class extends Subject<number> {})()])
      expect(findRxjsCopy(observable)).toBe(copy);
    expect(findRxjsCopy(oldest.EMPTY)).not.toBe(copy);
    expect(copy).toMatchObject({ Observable: rx.Observable });
  });

  it.each([
    ['an object', { subscribe: () => undefined, pipe: () => undefined, '@@observable': () => undefined }],
    ['an object without a prototype', Object.create(null) as object],
    [
      'a class of another library',
      new (class Stream {
        subscribe(): void {}
        pipe(): void {}
        lift(): void {}
      })(),
    ],
  ])('is not found from %s', (_name, value) => {
    expect(findRxjsCopy(value)).toBeUndefined();
  });
});
