import { Inject } from '@nestjs/common';
import { getTracerToken } from '../tokens.js';

/** Injects the tracer with that name. Default: the tracer without a name, as injected by its type `Tracer`. */
export function InjectTracer(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getTracerToken(name));
}
