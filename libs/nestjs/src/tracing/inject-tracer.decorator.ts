import { Inject } from '@nestjs/common';
import { getTracerToken } from '../tokens.js';

/** Injects the tracer of that name; without one, what injecting `Tracer` by its type gives. */
export function InjectTracer(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getTracerToken(name));
}
