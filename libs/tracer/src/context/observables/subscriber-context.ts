import { type ContextFrame, contextStorage } from '../context-storage.js';
import type { Subscriber } from './rxjs-copy.js';

/** `Symbol.for`: the CommonJS and the ES module copy of this package read each other's. */
const CONTEXT = Symbol.for('@dacapo/subscriber-context');

type Method = 'next' | 'error' | 'complete' | 'unsubscribe';

type Methods = Record<Method, (this: object, argument?: unknown) => void>;

interface KeepingSubscriber {
  [CONTEXT]?: SubscriberContext;
}

/** The frame in which a subscriber subscribed. It is private, so that a printed subscription shows nothing of it. */
class SubscriberContext {
  readonly #frame: ContextFrame;

  constructor(frame: ContextFrame) {
    this.#frame = frame;
  }

  get frame(): ContextFrame {
    return this.#frame;
  }

  call(subscriber: object, method: Method, argument: unknown): void {
    const original = (Object.getPrototypeOf(subscriber) as Methods)[method];
    if (contextStorage.getStore() === this.#frame) original.call(subscriber, argument);
    else contextStorage.run(this.#frame, Reflect.apply, original, subscriber, [argument]);
  }
}

/** One for all subscribers: four closures for each would cost a subscription twice as much. */
const entering: Readonly<Methods> = {
  next: enteringMethod('next'),
  error: enteringMethod('error'),
  complete: enteringMethod('complete'),
  unsubscribe: enteringMethod('unsubscribe'),
};

function enteringMethod(method: Method) {
  return function (this: object, argument?: unknown): void {
    (this as Required<KeepingSubscriber>)[CONTEXT].call(this, method, argument);
  };
}

/** The frame that a subscriber keeps; `undefined` for one that subscribed outside of any. */
export function findFrame(subscriber: object): ContextFrame | undefined {
  return (subscriber as KeepingSubscriber)[CONTEXT]?.frame;
}

/**
 * Has a subscriber receive its items, its end and its teardown in `frame`, whoever emits or unsubscribes. One that has a
 * method of its own, or is frozen, stays as it is.
 */
export function keepFrame(subscriber: Subscriber, frame: ContextFrame): void {
  if (Object.hasOwn(subscriber, 'next') || !Object.isExtensible(subscriber)) return;
  (subscriber as KeepingSubscriber)[CONTEXT] = new SubscriberContext(frame);
  // Assigned, since defining them as not enumerable takes five times as long.
  subscriber.next = entering.next;
  subscriber.error = entering.error;
  subscriber.complete = entering.complete;
  subscriber.unsubscribe = entering.unsubscribe;
}
