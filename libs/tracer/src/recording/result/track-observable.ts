import type { ActiveSpan } from '../active-span.js';
import { withMembers } from './member-proxy.js';
import type { ObservableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

interface Subscriber {
  readonly closed?: boolean;
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}
interface Subscription {
  unsubscribe(): void;
}
type ObservableClass = new (subscribe: (subscriber: Subscriber) => () => void) => ObservableLike;

const { observable: OBSERVABLE = '@@observable' } = Symbol as { observable?: symbol };

/** What makes another Observable of this one, which is to subscribe to the followed one. */
const DERIVING: ReadonlySet<string | symbol> = new Set([
  'pipe',
  'lift',
  'forEach',
  'toPromise',
  'asObservable',
  '@@observable',
  OBSERVABLE,
]);

/**
 * Follows an Observable: one span for each subscription, none while nobody subscribes.
 *
 * `pipe` and the operators work on the followed object, so a derived Observable subscribes to it as well. The
 * caller's own subscriber is handed to the source, which looks at it to know when to stop.
 */
export function trackObservable(span: ActiveSpan, target: ObservableLike): object {
  const { recorder } = span.start;
  const { input } = span;
  let subscriptions = 0;
  recorder.suspend(span);

  const followed = new (observableClassOf(target))((subscriber) => {
    const isFirst = subscriptions++ === 0;
    const current = isFirst ? span : recorder.reopen(span, input);
    if (isFirst) recorder.resume(span);
    const gathered = new StreamGatherer(current, 'observable');
    const observer = withMembers(subscriber, {
      overrides: {
        next(value) {
          if (subscriber.closed !== true) gathered.add(value);
          subscriber.next(value);
        },
        error(error) {
          gathered.fail(error);
          subscriber.error(error);
        },
        complete() {
          // A source that emits at once completes even for a subscriber that left on the way.
          if (subscriber.closed === true) gathered.cancel();
          else gathered.succeed();
          subscriber.complete();
        },
      },
    });
    const subscription = current.run(() => target.subscribe(observer)) as Subscriber | Subscription;
    return () => {
      gathered.cancel();
      if (subscription !== observer) (subscription as Subscription).unsubscribe();
    };
  });
  const subscribe = (...args: unknown[]): unknown => followed.subscribe(...args);
  return withMembers(target, { overrides: { subscribe }, onProxy: DERIVING });
}

/** The base class under a Subject or an Observable of its library. */
function observableClassOf(target: ObservableLike): ObservableClass {
  let prototype = Object.getPrototypeOf(target) as object;
  for (;;) {
    const parent = Object.getPrototypeOf(prototype) as object | null;
    if (parent === null || Object.getPrototypeOf(parent) === null) break;
    prototype = parent;
  }
  return prototype.constructor as ObservableClass;
}
