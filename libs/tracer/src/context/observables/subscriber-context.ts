import { type ContextFrame, contextStorage } from '../context-storage.js';
import type { Subscriber } from './rxjs-copy.js';

/** Uses `Symbol.for`, so that the CommonJS and ES module copies of this package share it. */
const CONTEXT = Symbol.for('@dacapo/subscriber-context');

type Method = 'next' | 'error' | 'complete' | 'unsubscribe';

type Methods = Record<Method, (this: object, argument?: unknown) => void>;

interface KeepingSubscriber {
  [CONTEXT]?: SubscriberContext;
}

/** The frame in which a subscriber subscribed. Private, so that a printed subscription does not show it. */
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

/** Shared by all subscribers, because four closures per subscriber would double the cost of a subscription. */
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

/** Returns the frame that a subscriber keeps; `undefined` if it subscribed outside of any. */
export function findFrame(subscriber: object): ContextFrame | undefined {
  return (subscriber as KeepingSubscriber)[CONTEXT]?.frame;
}

/**
 * Makes a subscriber receive items, end and teardown in `frame`, whatever code emits or unsubscribes. A subscriber with own methods, or a
 * frozen one, stays unchanged.
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
