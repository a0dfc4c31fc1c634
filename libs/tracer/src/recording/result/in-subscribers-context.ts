import { captureContext, type ContextRunner } from '../../context/bind.js';
import { withMembers } from './member-proxy.js';
import type { ObservableLike } from './result-kinds.js';

export interface Subscriber {
  readonly closed?: boolean;
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

interface Subscription {
  unsubscribe(): void;
}

export type ObservableClass = new (subscribe?: (subscriber: Subscriber) => () => void) => ObservableLike;

/** What an operator made of an Observable. */
interface Derived {
  readonly source?: ObservableLike;
  readonly operator?: object;
}

/**
 * The same items, of which every operator in between and whoever subscribes hear in the context of the subscription. A
 * Subject or a connection emits in the context of whoever fed it, or was the first to use it.
 */
export function inSubscribersContext<T extends Record<'subscribe' | 'pipe', (...args: never[]) => unknown>>(
  source: T,
): T {
  const observable = source as object as ObservableLike;
  const made: object = new (observableClassOf(observable))((subscriber) =>
    subscribeTo(enteringEach(observable, captureContext()), subscriber),
  );
  return made as T;
}

/** The base class under a Subject or an Observable of its library. */
export function observableClassOf(target: ObservableLike): ObservableClass {
  let prototype = Object.getPrototypeOf(target) as object;
  for (;;) {
    const parent = Object.getPrototypeOf(prototype) as object | null;
    if (parent === null || Object.getPrototypeOf(parent) === null) break;
    prototype = parent;
  }
  return prototype.constructor as ObservableClass;
}

/** The same chain of operators, with a step after each that enters the context again. */
export function enteringEach(source: ObservableLike, enter: ContextRunner): ObservableLike {
  const Class = observableClassOf(source);
  const emitting = derivedAgain(source, Class, enter) ?? source;
  return new Class((subscriber) => {
    const entering = withMembers(subscriber, {
      overrides: {
        next(value) {
          enter(() => {
            subscriber.next(value);
          });
        },
        error(error) {
          enter(() => {
            subscriber.error(error);
          });
        },
        complete() {
          enter(() => {
            subscriber.complete();
          });
        },
      },
    });
    return subscribeTo(emitting, entering);
  });
}

/** Of one that is subscribed to in a way of its own, such as one that is recorded already, the chain is left alone. */
function derivedAgain(
  derived: ObservableLike,
  Class: ObservableClass,
  enter: ContextRunner,
): ObservableLike | undefined {
  const { source, operator } = derived as ObservableLike & Derived;
  const { subscribe } = Class.prototype as ObservableLike;
  if (source === undefined || operator === undefined || derived.subscribe !== subscribe) return undefined;
  return Object.assign(new Class(), { source: enteringEach(source, enter), operator });
}

/** @returns what unsubscribes; a subscriber that was handed on whole is told by its own end */
export function subscribeTo(source: ObservableLike, subscriber: Subscriber): () => void {
  const subscription = source.subscribe(subscriber) as Subscription | Subscriber;
  return () => {
    if (subscription !== subscriber) (subscription as Subscription).unsubscribe();
  };
}
