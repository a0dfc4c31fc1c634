import type { TestTracer } from '@dacapo/tracer/testing';
import type { RequestOptions } from '../request-options.js';

const BRAND = Symbol.for('@dacapo/nestjs/test-tracer');

/** Replaces every tracer of an application under test. */
export interface BrandedTestTracer extends TestTracer {
  readonly [BRAND]: true;
  /** Used instead of the options that a factory of the application would create. */
  readonly requests: RequestOptions;
}

export function brandTestTracer(tracer: TestTracer, requests: RequestOptions): BrandedTestTracer {
  return { ...tracer, requests, [BRAND]: true };
}

/** Recognizes a test tracer from any copy of this package; an auto-mocking test injects something else. */
export function isTestTracer(value: unknown): value is BrandedTestTracer {
  return typeof value === 'object' && value !== null && (value as Partial<BrandedTestTracer>)[BRAND] === true;
}
