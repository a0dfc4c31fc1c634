/** What receives the items of an Observable: RxJS hands a subscriber from operator to operator. */
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

/** One loaded copy of RxJS. An application may have several, which know nothing of each other. */
export interface RxjsCopy {
  readonly Observable: ObservableClass;
  /** A step between a source and `destination`, closed with it. */
  readonly Subscriber: new (destination?: object) => Subscriber;
  /** What RxJS makes of the arguments of `subscribe`. */
  readonly SafeSubscriber: new (observerOrNext?: unknown, error?: unknown, complete?: unknown) => Subscriber;
}

/** By `Observable.prototype`. */
const copies = new WeakMap<object, RxjsCopy>();

/** What `Observable.prototype` of RxJS has and other libraries' Observables have not. */
const OWN_METHODS = ['subscribe', 'pipe', 'lift', '_trySubscribe'] as const;

/** The copy of RxJS that an Observable, Subject or subclass comes from; `undefined` when it is not of RxJS. */
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

/** RxJS exports no `SafeSubscriber`, so an Observable that emits nothing is asked what it is subscribed with. */
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
