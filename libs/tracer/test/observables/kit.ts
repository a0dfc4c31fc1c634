import { EventEmitter } from 'node:events';
import type { Observable, OperatorFunction, Subject, VirtualTimeScheduler } from 'rxjs';
import type { Operator, RxjsVersion } from './rxjs-version.js';

/** What all users share, fed by nobody of them: `hot` at 10, 20 and 30, `other` at 15, 25, 45 and 55, ends at 40 and 60. */
export interface Shared {
  readonly hot: Subject<unknown>;
  readonly other: Subject<unknown>;
  /** Fails after its first item. */
  readonly failing: Subject<unknown>;
  readonly emitter: EventEmitter;
  /** Called once, at 15. */
  readonly callbacks: ((...args: unknown[]) => void)[];
  readonly scheduler: VirtualTimeScheduler;
}

/** What a program of one user is made of. */
export interface Kit extends RxjsVersion, Shared {
  /** A function of the user's; gives what it is given. */
  readonly call: <T>(value: T) => T;
  /** The user's function, for each item. */
  readonly each: OperatorFunction<unknown, unknown>;
  /** The first item of `other` from now on, through the user's function. */
  readonly inner: (value?: unknown) => Observable<unknown>;
  /** `other`, through the user's function. */
  readonly notifier: Observable<unknown>;
  readonly op: (name: string) => Operator;
}

export type Program = (kit: Kit) => Observable<unknown>;

/** What a program of one user is made of, whose functions call `call`. */
export function makeKit(version: RxjsVersion, shared: Shared, call: Kit['call']): Kit {
  const { map, take } = version.operators as Record<string, Operator>;
  return {
    ...version,
    ...shared,
    call,
    each: (map as Operator)((value: unknown) => call(value)),
    inner: (value) =>
      shared.other.pipe(
        (take as Operator)(1),
        (map as Operator)((args: unknown) => call([value, args])),
      ),
    notifier: shared.other.pipe((map as Operator)((value: unknown) => call(value))),
    op: (name) => {
      const operator = version.operators[name];
      if (operator === undefined) throw new Error(`RxJS has no operator ${name}`);
      return operator;
    },
  };
}

/** What all users of one program share, which waits for `scheduler.flush()` to emit. */
export function shareSources({ rx }: RxjsVersion): Shared {
  const shared = newSources(rx);
  feedAll(shared);
  return shared;
}

function newSources(rx: RxjsVersion['rx']): Shared {
  return {
    hot: new rx.Subject(),
    other: new rx.Subject(),
    failing: new rx.Subject(),
    emitter: new EventEmitter().setMaxListeners(0),
    callbacks: [],
    scheduler: new rx.VirtualTimeScheduler(),
  };
}

function feedAll({ hot, other, failing, emitter, callbacks, scheduler }: Shared): void {
  const at = (time: number, feed: () => void): void => {
    scheduler.schedule(feed, time);
  };
  [10, 20, 30].forEach((time, index) => {
    at(time, () => {
      hot.next(index + 1);
    });
  });
  at(12, () => {
    failing.next('before');
  });
  ['a', 'b', 'c', 'd'].forEach((item, index) => {
    at([15, 25, 45, 55][index] ?? 0, () => {
      other.next(item);
    });
  });
  at(16, () => {
    emitter.emit('event', 1, 2);
    for (const callback of callbacks) callback(undefined, 'answer');
  });
  at(22, () => {
    failing.error(new Error('failed'));
  });
  at(40, () => {
    hot.complete();
  });
  at(60, () => {
    other.complete();
  });
}
