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
  Object.defineProperty(prototype, slot, {
    configurable: true,
    get: () => undefined,
    set(this: object, ref: unknown) {
      if (isTracerRef(ref)) fillSlot(this, slot, ref);
    },
  });
  Optional()(prototype, slot);
  Inject(getTracerRefToken(name))(prototype, slot);
}

/** Not enumerable: comparing, copying and printing an instance does not show it. */
export function fillSlot(instance: object, slot: symbol, ref: TracerRef): void {
  Object.defineProperty(instance, slot, { value: ref, configurable: true, writable: true });
}
