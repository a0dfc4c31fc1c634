import { type ContextFrame, contextStorage } from '../context-storage.js';
import type { ObservableInstance, RxjsCopy, Subscriber } from './rxjs-copy.js';
import { findFrame, keepFrame } from './subscriber-context.js';

/** The holders of the wrapper, and how to remove it, by `Observable.prototype`. */
interface Registry {
  readonly holders: Set<object>;
  readonly released: WeakSet<object>;
  readonly undo: Map<object, () => void>;
}

const KEY = Symbol.for('@dacapo/subscribe-wrapper');

const globals = globalThis as unknown as Record<symbol, Registry | undefined>;
const registry: Registry = (globals[KEY] ??= {
  holders: new Set(),
  released: new WeakSet(),
  undo: new Map(),
});

/**
 * Makes each subscription to an Observable of that copy of RxJS keep the context in which it was made, until the last holder
 * releases it: operators, observers and teardowns run there, whatever code emits. A subscription made outside of any context keeps
 * none and runs in the emitter's context.
 *
 * This is the one change that Dacapo makes to a class of another library: it wraps `Observable.prototype.subscribe`.
 * Never throws. A function that cannot be wrapped stays unchanged.
 *
 * @param holder after its release, it cannot hold the context again
 */
export function holdSubscribersContext(holder: object, copy: RxjsCopy): void {
  const { holders, released, undo } = registry;
  if (released.has(holder)) return;
  holders.add(holder);
  const prototype = copy.Observable.prototype as object;
  if (!undo.has(prototype)) undo.set(prototype, wrapSubscribe(prototype, copy));
}

/** Removes the wrapper when the last holder is released. Open subscriptions keep their context. */
export function releaseSubscribersContext(holder: object): void {
  const { holders, released, undo } = registry;
  released.add(holder);
  if (!holders.delete(holder) || holders.size > 0) return;
  for (const restore of undo.values()) restore();
  undo.clear();
}

function wrapSubscribe(prototype: object, copy: RxjsCopy): () => void {
  const before = Reflect.getOwnPropertyDescriptor(prototype, 'subscribe') as PropertyDescriptor;
  const original = before.value as ObservableInstance['subscribe'] | undefined;
  if (original === undefined) return () => undefined;
  let isActive = true;
  const subscribe = function (this: object, ...args: unknown[]): unknown {
    if (!isActive) return Reflect.apply(original, this, args);
    const [first] = args;
    const current = contextStorage.getStore();
    if (isSubscriber(first, copy)) {
      const frame = frameFor(first, current, copy);
      return frame === undefined || frame === current
        ? original.call(this, first)
        : contextStorage.run(frame, Reflect.apply, original, this, [first]);
    }
    if (current === undefined) return Reflect.apply(original, this, args);
    const subscriber = new copy.SafeSubscriber(...args);
    keepFrame(subscriber, current);
    return original.call(this, subscriber);
  };
  Object.defineProperty(subscribe, 'name', { value: original.name, configurable: true });
  Object.defineProperty(subscribe, 'length', { value: original.length, configurable: true });
  if (!Reflect.defineProperty(prototype, 'subscribe', { ...before, value: subscribe }))
    return () => undefined;
  return () => {
    // Another library may have wrapped it since, and calls this one.
    isActive = false;
    if (Reflect.getOwnPropertyDescriptor(prototype, 'subscribe')?.value === subscribe)
      Reflect.defineProperty(prototype, 'subscribe', before);
  };
}

/** The rule of RxJS: a subscriber is used directly, also one of another copy of RxJS. */
function isSubscriber(value: unknown, { Subscriber }: RxjsCopy): value is Subscriber {
  if (value instanceof Subscriber) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { next, error, complete, add, remove, unsubscribe } = value as Record<string, unknown>;
  return (
    'closed' in value &&
    [next, error, complete, add, remove, unsubscribe].every((method) => typeof method === 'function')
  );
}

/** Returns the frame of a subscription: the frame in which the subscriber, or its destination, first subscribed. */
function frameFor(
  subscriber: Subscriber,
  current: ContextFrame | undefined,
  { Subscriber }: RxjsCopy,
): ContextFrame | undefined {
  const kept = findFrame(subscriber);
  if (kept !== undefined) return isSameWork(current, kept) ? current : kept;
  const { destination } = subscriber as { destination?: unknown };
  let frame = current;
  if (destination instanceof Subscriber) {
    const inherited = findFrame(destination);
    // A scheduler that serves many calls it in the context of one of them. One that keeps none subscribed outside of any.
    if (inherited === undefined || !isSameWork(current, inherited)) frame = inherited;
  }
  if (frame === undefined) return undefined;
  keepFrame(subscriber, frame);
  return frame;
}

/** Whether the subscribing code belongs to the same request or trace. It may then have opened a span on purpose. */
function isSameWork(current: ContextFrame | undefined, kept: ContextFrame): boolean {
  if (current === undefined) return false;
  // A request opens its trace when it is asked for it, so that comes second.
  const work = kept.within ?? kept.trace;
  return current === kept || (work !== undefined && (current.within ?? current.trace) === work);
}
