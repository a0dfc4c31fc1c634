import type { Tracer } from '@dacapo/tracer';
import type { RequestOptions } from './request-options.js';

const BRAND = Symbol.for('@dacapo/nestjs/tracer-ref');

/**
 * Holds the tracer of one application as soon as it exists.
 *
 * Decorated classes depend on the ref, which has no dependencies. So the tracer's options may depend on a class with
 * `@Traced` methods; without the ref, that circle would block the bootstrap of Nest 10 and 11.
 */
export class TracerRef {
  readonly [BRAND] = true;
  tracer: Tracer | undefined;
  requests: RequestOptions = {};
  /** Belongs to the module that replaces a missing one. Uses the options of the application's own module if there is one. */
  isFallback = false;
  isClosed = false;
}

/** `false` for a stand-in that a test passes to `overrideProvider`: methods then run unrecorded. */
export function canTrace(tracer: Partial<Tracer>): boolean {
  return typeof tracer.run === 'function' && typeof tracer.withRecorder === 'function';
}

/** Recognizes a ref from any copy of this package; an auto-mocking test injects something else. */
export function isTracerRef(value: unknown): value is TracerRef {
  return typeof value === 'object' && value !== null && (value as Partial<TracerRef>)[BRAND] === true;
}
