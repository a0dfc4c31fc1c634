/** The receiver of an Observable's items. RxJS creates one per operator. */
export interface Subscriber {
  readonly closed: boolean;
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
  add(teardown: object): void;
  unsubscribe(): void;
}

export interface ObservableInstance {
  subscribe(...args: unknown[]): unknown;
}

type ObservableClass = new (
  subscribe?: (subscriber: Subscriber) => (() => void) | undefined,
) => ObservableInstance;

/** One loaded copy of RxJS. An application may have several independent copies. */
export interface RxjsCopy {
  readonly Observable: ObservableClass;
  /** A step between a source and `destination`, closed with it. */
  readonly Subscriber: new (destination?: object) => Subscriber;
  /** The class that RxJS creates from the arguments of `subscribe`. */
  readonly SafeSubscriber: new (observerOrNext?: unknown, error?: unknown, complete?: unknown) => Subscriber;
}

/** By `Observable.prototype`. */
const copies = new WeakMap<object, RxjsCopy>();

/** Members that only `Observable.prototype` of RxJS has. */
const OWN_METHODS = ['subscribe', 'pipe', 'lift', '_trySubscribe'] as const;

/** Finds the copy of RxJS of an Observable, Subject or subclass; `undefined` if it is not from RxJS. */
export function findRxjsCopy(observable: object): RxjsCopy | undefined {
  const prototype = findObservablePrototype(observable);
  if (prototype === undefined) return undefined;
  const known = copies.get(prototype);
  if (known !== undefined) return known;
  const copy = findClasses(prototype.constructor as ObservableClass);
  copies.set(prototype, copy);
  return copy;
}

function findObservablePrototype(observable: object): object | undefined {
  let prototype = Object.getPrototypeOf(observable) as object | null;
  while (prototype !== null) {
    const own = prototype;
    if (OWN_METHODS.every((name) => Object.hasOwn(own, name))) return own;
    prototype = Object.getPrototypeOf(own) as object | null;
  }
  return undefined;
}

/** RxJS does not export `SafeSubscriber`, so this subscribes to an empty Observable and inspects the subscriber. */
function findClasses(Observable: ObservableClass): RxjsCopy {
  let args: Subscriber | undefined;
  new Observable((subscriber) => {
    args = subscriber;
    return undefined;
  }).subscribe();
  args?.unsubscribe();
  const SafeSubscriber = (args as Subscriber).constructor as RxjsCopy['SafeSubscriber'];
  // RxJS 6 uses one class for both.
  const Subscriber = Object.hasOwn(SafeSubscriber.prototype as object, '_next')
    ? SafeSubscriber
    : (Object.getPrototypeOf(SafeSubscriber) as RxjsCopy['Subscriber']);
  return { Observable, Subscriber, SafeSubscriber };
}
