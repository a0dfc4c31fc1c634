import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  Optional,
} from '@nestjs/common';
import { DeferredSpan, deferSpan, isInsideTracedWork } from '@dacapo/tracer/internal';
import { Observable, tap } from 'rxjs';
import { isTracerRef, TracerRef } from '../tracer-ref.js';
import { DEFAULT_TRACER, getTracerRefToken, MODULE_REF_TOKEN } from '../tokens.js';
import { requestServedBy } from './http-request.js';
import { MessageWork } from './message-work.js';
import { noteEnrichment } from './note-enrichment.js';
import { takeMessage } from './open-message.js';

/**
 * Records what a message handler and its guards call as one trace. WebSockets and microservices need it. On HTTP and GraphQL,
 * which are traced without it, it adds the exception that was thrown.
 *
 * Registering it twice for a handler has no further effect.
 */
@Injectable()
export class TracerInterceptor implements NestInterceptor {
  private readonly ref: TracerRef;

  /** Nest creates one per module that names it in `@UseInterceptors`, even if that module sees no `TracerModule`. */
  constructor(
    @Optional() @Inject(MODULE_REF_TOKEN) own?: unknown,
    @Optional() @Inject(getTracerRefToken(DEFAULT_TRACER)) unnamed?: unknown,
  ) {
    this.ref = [own, unnamed].find(isTracerRef) ?? new TracerRef();
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = requestServedBy(context);
    const open = request?.span ?? DeferredSpan.current();
    if (open !== undefined && !open.isOver) {
      // HTTP requests call `enrich` after their guards.
      if (request === undefined) noteEnrichment(open, context, this.ref.requests);
      const noteFailure = tap({ error: (error: unknown) => (open.failure ??= error) });
      return (request ?? open).enter(() => next.handle()).pipe(noteFailure);
    }
    if (isInsideTracedWork()) return next.handle();
    const { tracer, requests } = this.ref;
    if (requests.requests === false && context.getType() === 'http') return next.handle();
    const span = takeMessage(context) ?? (tracer && deferSpan(tracer, new MessageWork(context, requests)));
    if (span === undefined) return next.handle();
    noteEnrichment(span, context, requests);
    return runInside(span, next);
  }
}

/** Calls the handler and subscribes to its Observable inside the span, which ends with the Observable. */
function runInside(span: DeferredSpan, next: CallHandler): Observable<unknown> {
  return new Observable((subscriber) => {
    const subscription = span.run(() =>
      next.handle().subscribe({
        next: (value) => {
          subscriber.next(value);
        },
        error: (error: unknown) => {
          span.fail(error);
          subscriber.error(error);
        },
        complete: () => {
          span.succeed();
          subscriber.complete();
        },
      }),
    );
    return () => {
      span.cancel();
      subscription.unsubscribe();
    };
  });
}
