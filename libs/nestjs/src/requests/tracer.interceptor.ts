import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { defineSpan, type Tracer } from '@dacapo/tracer';
import type { Observable } from 'rxjs';
import { MODULE_TRACER } from '../tokens.js';

/**
 * Opens a span around each handler, which is sent only if something inside was traced: handlers, what they call, and
 * what their Observables do on subscription then belong to one trace.
 */
@Injectable()
export class TracerInterceptor implements NestInterceptor {
  constructor(@Inject(MODULE_TRACER) private readonly tracer: Tracer) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const key = `${context.getClass().name}.${context.getHandler().name}`;
    const definition = defineSpan({ key, name: key, onlyWithChildren: true, captureInput: false });
    return this.tracer.run(definition, () => next.handle(), undefined, []) as Observable<unknown>;
  }
}
