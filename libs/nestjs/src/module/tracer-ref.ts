import type { Tracer } from '@dacapo/tracer';
import type { RequestOptions } from '../requests/request-options.js';

const BRAND = Symbol.for('@dacapo/nestjs/tracer-ref');

/**
 * Holds the tracer of one application; filled when that is there.
 *
 * Decorated methods depend on this, which depends on nothing: a class with `@Traced` methods may so be needed to make
 * the tracer's own options without a circle, in which the bootstrap of Nest 10 and 11 would wait for itself.
 */
export class TracerRef {
  readonly [BRAND] = true;
  tracer: Tracer | undefined;
  requests: RequestOptions = {};
  /** Of the module that stands in for a missing one: it takes the options of the other if there is one. */
  isFallback = false;
  /** The application has ended. */
  isClosed = false;
}

/** Tells a tracer from what a test puts in its place with `overrideProvider`: methods then run as they are. */
export function canTrace(tracer: Partial<Tracer>): boolean {
  return typeof tracer.run === 'function' && typeof tracer.defer === 'function';
}

/** Tells a ref, of any copy of this package, from what an auto-mocking test gives for it. */
export function isTracerRef(value: unknown): value is TracerRef {
  return typeof value === 'object' && value !== null && (value as Partial<TracerRef>)[BRAND] === true;
}
