import { types } from 'node:util';
import type { ActiveSpan } from '../active-span.js';

export type Callable = (...args: unknown[]) => unknown;

/** Structural views of results: the classes behind them may come from another realm, or another copy of a package. */
export type Thenable = object & { then: Callable };
export type GeneratorLike = object & { next: Callable; return: Callable; throw: Callable };
export type ObservableLike = object & { subscribe: Callable; pipe: Callable };
export type AsyncIterableLike = object & AsyncIterable<unknown>;
export type NodeReadableLike = NodeJS.ReadableStream & { destroyed: boolean };

/**
 * A plain promise: created by the language, without own members.
 *
 * Symbols do not count: Node keeps its async ids on every promise.
 */
export function isPlainPromise(value: object): value is Promise<unknown> {
  if (!types.isPromise(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Promise.prototype || isRealmPromisePrototype(prototype)) &&
    Object.getOwnPropertyNames(value).length === 0
  );
}

/** Another realm's `Promise.prototype`: Jest's environments have one each. */
function isRealmPromisePrototype(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    !types.isProxy(prototype) &&
    Object.getPrototypeOf(Object.getPrototypeOf(prototype) ?? null) === null &&
    (prototype as { constructor?: { name?: unknown } }).constructor?.name === 'Promise'
  );
}

/** A result of an adapter that knows its own end, and ends the span. */
export const ENDS_SPAN = Symbol.for('@dacapo/settles');

export interface SelfEnding {
  [ENDS_SPAN](span: ActiveSpan): void;
}

export function isSelfEnding(result: object): result is SelfEnding {
  return typeof Reflect.get(result, ENDS_SPAN) === 'function';
}

/** An object literal with only data. Most results are one. */
export function isPlainData(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    !('then' in value || 'pipe' in value || Symbol.asyncIterator in value || ENDS_SPAN in value)
  );
}

export function isThenable(value: object): value is Thenable {
  return hasMethod(value, 'then');
}

/** A generator object of either kind, or one that is followed already; the iterators of arrays and maps are not. */
export function isGenerator(value: object): value is GeneratorLike {
  return (
    types.isGeneratorObject(value) ||
    (types.isProxy(value) && Object.prototype.toString.call(value).endsWith('Generator]'))
  );
}

export function isReadableStream(value: object): value is ReadableStream<unknown> {
  return Object.prototype.toString.call(value) === '[object ReadableStream]' && hasMethod(value, 'getReader');
}

/** A socket: it stays open for longer than the call, and what passes through it is not the call's output. */
export function isConnection(value: object): boolean {
  return isNodeReadable(value) && hasMethod(value, 'setKeepAlive');
}

export function isNodeReadable(value: object): value is NodeReadableLike {
  return hasMethod(value, 'pipe') && hasMethod(value, 'read') && hasMethod(value, 'on');
}

/** A stream object of a library: it is iterable, and is not a container of its items. */
export function isAsyncIterable(value: object): value is AsyncIterableLike {
  return hasMethod(value, Symbol.asyncIterator);
}

/** Clients of brokers subscribe and pipe too; an Observable also says that it is one, or can be lifted. */
export function isObservable(value: object): value is ObservableLike {
  return (
    hasMethod(value, 'subscribe') &&
    hasMethod(value, 'pipe') &&
    (hasMethod(value, 'lift') || hasMethod(value, OBSERVABLE) || hasMethod(value, '@@observable'))
  );
}

const { observable: OBSERVABLE = Symbol.for('observable') } = Symbol as { observable?: symbol };

export function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

export function hasMethod(value: object, name: string | symbol): boolean {
  return name in value && typeof Reflect.get(value, name) === 'function';
}
