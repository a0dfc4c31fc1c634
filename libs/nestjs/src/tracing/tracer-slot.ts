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
 */
export function openSlot(prototype: object, name: string): void {
  const slot = slotOf(name);
  if (slot in prototype) return;
  const ofFrozen = new WeakMap<object, TracerRef>();
  Object.defineProperty(prototype, slot, {
    configurable: true,
    get(this: object) {
      return ofFrozen.get(this);
    },
    set(this: object, ref: unknown) {
      if (isTracerRef(ref) && !keepHidden(this, slot, ref)) ofFrozen.set(this, ref);
    },
  });
  Optional()(prototype, slot);
  Inject(getTracerRefToken(name))(prototype, slot);
}

/** Not enumerable: comparing, copying and printing an instance does not show it. `false`: the instance is frozen. */
function keepHidden(instance: object, slot: symbol, ref: TracerRef): boolean {
  return Reflect.defineProperty(instance, slot, { value: ref, configurable: true, writable: true });
}
