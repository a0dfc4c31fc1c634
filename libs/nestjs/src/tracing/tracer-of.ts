import type { Tracer } from '@dacapo/tracer';
import { findTracer } from '@dacapo/tracer/internal';
import type { TracerRef } from '../module/tracer-ref.js';
import type { RequestOptions } from '../requests/request-options.js';
import { DEFAULT_TRACER } from '../tokens.js';

/**
 * The tracer that a call on `self` belongs to: that of the instance's application, else that of the open span, else the
 * only one of the process.
 *
 * @returns `undefined` when there is none, or no telling which: then the method simply runs
 */
export function tracerOf(self: unknown, slot: symbol, name: string): Tracer | undefined {
  try {
    return refOf(self, slot)?.tracer ?? (name === DEFAULT_TRACER ? findTracer() : undefined);
  } catch {
    // `self` is a proxy that answers only inside a request.
    return undefined;
  }
}

/** What the application of an instance says of its requests; nothing where that cannot be read. */
export function requestOptionsOf(self: unknown, slot: symbol): RequestOptions {
  try {
    return refOf(self, slot)?.requests ?? {};
  } catch {
    // `self` is a proxy that answers only inside a request.
    return {};
  }
}

/** The ref that the application of an instance gave it. */
export function refOf(self: unknown, slot: symbol): TracerRef | undefined {
  return typeof self === 'object' && self !== null
    ? (self as Record<symbol, TracerRef | undefined>)[slot]
    : undefined;
}
