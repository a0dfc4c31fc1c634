import { Inject, Optional } from '@nestjs/common';
import { isTracerRef, type TracerRef } from '../module/tracer-ref.js';
import { getTracerRefToken } from '../tokens.js';

/** The property under which an instance keeps the ref of the tracer with that name. */
export function slotOf(name: string): symbol {
  return Symbol.for(`@dacapo/nestjs/slot/${name}`);
}

/**
 * Has the container give every instance of a class the ref of its application's tracer.
 *
 * Property injection reaches singleton, request and transient scope, subclasses, and each of several applications. It is
 * optional, so a class works in an application without a `TracerModule` as it did before.
 *
 * @param onFilled told of each instance that was given it, subclasses included
 */
export function openSlot(prototype: object, name: string, onFilled?: (instance: object) => void): void {
  const slot = slotOf(name);
  if (onFilled !== undefined)
    listeners.set(prototype, [...(listeners.get(prototype) ?? []), { slot, onFilled }]);
  if (slot in prototype) return;
  const ofFrozen = new WeakMap<object, TracerRef>();
  Object.defineProperty(prototype, slot, {
    configurable: true,
    get(this: object) {
      return ofFrozen.get(this);
    },
    set(this: object, ref: unknown) {
      if (!isTracerRef(ref)) return;
      if (!keepHidden(this, slot, ref)) ofFrozen.set(this, ref);
      tellListeners(this, slot);
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

/** Of all copies of this package: a class and the one that it extends may be decorated by two of them. */
const globals = globalThis as unknown as Record<symbol, WeakMap<object, readonly FillListener[]> | undefined>;
const listeners = (globals[LISTENERS] ??= new WeakMap());

/** Those of its class and of all that it extends, which may share one slot. */
function tellListeners(instance: object, filled: symbol): void {
  let prototype = Object.getPrototypeOf(instance) as object | null;
  for (; prototype !== null; prototype = Object.getPrototypeOf(prototype) as object | null)
    for (const { slot, onFilled } of listeners.get(prototype) ?? []) if (slot === filled) onFilled(instance);
}

/** Not enumerable: comparing, copying and printing an instance does not show it. `false`: the instance is frozen. */
function keepHidden(instance: object, slot: symbol, ref: TracerRef): boolean {
  return Reflect.defineProperty(instance, slot, { value: ref, configurable: true, writable: true });
}
