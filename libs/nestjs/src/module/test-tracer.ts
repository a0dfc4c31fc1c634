import type { TestTracer } from '@dacapo/tracer/testing';
import type { RequestOptions } from '../requests/request-options.js';

const BRAND = Symbol.for('@dacapo/nestjs/test-tracer');

/** The tracer that takes the place of every tracer of an application under test. */
export interface BrandedTestTracer extends TestTracer {
  readonly [BRAND]: true;
  /** In place of those that a factory of the application would make. */
  readonly requests: RequestOptions;
}

export function brandTestTracer(tracer: TestTracer, requests: RequestOptions): BrandedTestTracer {
  return { ...tracer, requests, [BRAND]: true };
}

/** Tells it, of any copy of this package, from what an auto-mocking test gives for an optional dependency. */
export function isTestTracer(value: unknown): value is BrandedTestTracer {
  return typeof value === 'object' && value !== null && (value as Partial<BrandedTestTracer>)[BRAND] === true;
}
