import { Inject, Optional } from '@nestjs/common';
import type { Tracer } from '@dacapo/tracer';
import { findTracer } from '@dacapo/tracer/internal';
import { isTracerRef, type TracerRef } from '../tracer-ref.js';
import type { RequestOptions } from '../request-options.js';
import { DEFAULT_TRACER, getTracerRefToken } from '../tokens.js';

/** The property under which an instance keeps the ref of the tracer with that name. */
export function slotFor(name: string): symbol {
  return Symbol.for(`@dacapo/nestjs/slot/${name}`);
}

/**
 * The tracer for a call on `self`: that of the instance's application, else that of the open span, else the only one of
 * the process.
 *
 * @returns `undefined` when there is none, or several to choose from: the method then runs unrecorded
 */
export function tracerFor(self: unknown, slot: symbol, name: string): Tracer | undefined {
  try {
    return readRef(self, slot)?.tracer ?? (name === DEFAULT_TRACER ? findTracer() : undefined);
  } catch {
    // `self` is a proxy that works only inside a request.
    return undefined;
  }
}

/** The request options of an instance's application; empty where they cannot be read. */
export function readRequestOptions(self: unknown, slot: symbol): RequestOptions {
  try {
    return readRef(self, slot)?.requests ?? {};
  } catch {
    // `self` is a proxy that works only inside a request.
    return {};
  }
}

/** The ref that the application of an instance put into its slot. */
export function readRef(self: unknown, slot: symbol): TracerRef | undefined {
  return typeof self === 'object' && self !== null
    ? (self as Record<symbol, TracerRef | undefined>)[slot]
    : undefined;
}

/**
 * Makes the container inject the ref of its application's tracer into every instance of a class.
 *
 * Property injection reaches singleton, request and transient scope, subclasses, and each of several applications. It is
 * optional, so the class also works in an application without a `TracerModule`.
 *
 * @param onFilled called with each instance that received a ref, including instances of subclasses
 */
export function openSlot(prototype: object, name: string, onFilled?: (instance: object) => void): void {
  const slot = slotFor(name);
  if (onFilled !== undefined)
    listeners.set(prototype, [...(listeners.get(prototype) ?? []), { slot, onFilled }]);
  if (slot in prototype) return;
  const frozenInstances = new WeakMap<object, TracerRef>();
  Object.defineProperty(prototype, slot, {
    configurable: true,
    get(this: object) {
      return frozenInstances.get(this);
    },
    set(this: object, ref: unknown) {
      if (!isTracerRef(ref)) return;
      // Not enumerable: comparing, copying and printing an instance do not show it.
      const isStored = Reflect.defineProperty(this, slot, { value: ref, configurable: true, writable: true });
      if (!isStored) frozenInstances.set(this, ref);
      notifyListeners(this, slot);
    },
  });
  Optional()(prototype, slot);
  Inject(getTracerRefToken(name))(prototype, slot);
}

interface FillListener {
  readonly slot: symbol;
  readonly onFilled: (instance: object) => void;
}

const LISTENERS = Symbol.for('@dacapo/nestjs/slot-listeners');

/** Shared by all copies of this package: two of them may decorate a class and its base class. */
const globals = globalThis as unknown as Record<symbol, WeakMap<object, readonly FillListener[]> | undefined>;
const listeners = (globals[LISTENERS] ??= new WeakMap());

/** Calls the listeners of the instance's class and of its base classes, which may share one slot. */
function notifyListeners(instance: object, filled: symbol): void {
  let prototype = Object.getPrototypeOf(instance) as object | null;
  for (; prototype !== null; prototype = Object.getPrototypeOf(prototype) as object | null)
    for (const { slot, onFilled } of listeners.get(prototype) ?? []) if (slot === filled) onFilled(instance);
}
