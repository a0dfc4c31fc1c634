import type { ActiveSpan } from '../active-span.js';
import { callInSpan } from './in-span.js';
import type { ObservableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

interface Subscriber {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}
interface Subscription {
  unsubscribe(): void;
}
type ObservableClass = new (subscribe: (subscriber: Subscriber) => () => void) => ObservableLike;

/**
 * Follows an Observable: one span for each subscription, none while nobody subscribes.
 *
 * `pipe` and the operators work on the followed object, so a derived Observable subscribes to it as well. The
 * caller's subscriber is handed to an Observable of the same library: operators unsubscribe through its identity.
 */
export function trackObservable(span: ActiveSpan, target: ObservableLike): object {
  const { recorder } = span.start;
  const { input } = span;
  let subscriptions = 0;

  const followed = new (observableClassOf(target))((subscriber) => {
    const current = subscriptions++ === 0 ? span : recorder.reopen(span, input);
    const gathered = new StreamGatherer(current, 'observable');
    const observer: Subscriber = {
      next(value) {
        gathered.add(value);
        subscriber.next(value);
      },
      error(error) {
        gathered.fail(error);
        subscriber.error(error);
      },
      complete() {
        gathered.succeed();
        subscriber.complete();
      },
    };
    const subscription = callInSpan(current, target.subscribe, target, [observer]) as Subscription;
    return () => {
      gathered.cancel();
      subscription.unsubscribe();
    };
  });
  const subscribe = (...args: unknown[]): unknown => followed.subscribe(...args);

  return new Proxy(target, {
    get: (object, name, receiver) =>
      name === 'subscribe' ? subscribe : (Reflect.get(object, name, receiver) as unknown),
  });
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
