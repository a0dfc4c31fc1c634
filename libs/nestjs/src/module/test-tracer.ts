import type { TestTracer } from '@dacapo/tracer/testing';

const BRAND = Symbol.for('@dacapo/nestjs/test-tracer');

/** The tracer that takes the place of every tracer of an application under test. */
export interface BrandedTestTracer extends TestTracer {
  readonly [BRAND]: true;
}

export function brandTestTracer(tracer: TestTracer): BrandedTestTracer {
  return { ...tracer, [BRAND]: true };
}

/** Tells it, of any copy of this package, from what an auto-mocking test gives for an optional dependency. */
export function isTestTracer(value: unknown): value is BrandedTestTracer {
  return typeof value === 'object' && value !== null && (value as Partial<BrandedTestTracer>)[BRAND] === true;
}
