import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  Optional,
} from '@nestjs/common';
import { DeferredSpan, isInsideTracedWork } from '@dacapo/tracer/internal';
import { Observable, tap } from 'rxjs';
import { isTracerRef, TracerRef } from '../module/tracer-ref.js';
import { DEFAULT_TRACER, getTracerRefToken, MODULE_REF } from '../tokens.js';
import { httpRequestIn } from './http-request.js';
import { MessageWork } from './message-work.js';
import { noteEnrichment } from './note-enrichment.js';
import { takeMessage } from './open-message.js';

/**
 * Makes one trace of what a message handler and its guards call: for WebSockets and microservices, which have no
 * beginning that can be seen without it. On HTTP and GraphQL, where requests are traced already, it adds the exception
 * that was thrown.
 *
 * A handler that it reaches twice is traced once.
 */
@Injectable()
export class TracerInterceptor implements NestInterceptor {
  private readonly ref: TracerRef;

  /** Nest makes one for each module that names it in `@UseInterceptors`, with or without a `TracerModule` in sight. */
  constructor(
    @Optional() @Inject(MODULE_REF) own?: unknown,
    @Optional() @Inject(getTracerRefToken(DEFAULT_TRACER)) unnamed?: unknown,
  ) {
    this.ref = [own, unnamed].find(isTracerRef) ?? new TracerRef();
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = httpRequestIn(context);
    const open = request?.span ?? DeferredSpan.current();
    if (open !== undefined && !open.isOver) {
      // A guard asks that of HTTP requests.
      if (request === undefined) noteEnrichment(open, context, this.ref.requests);
      const noteFailure = tap({ error: (error: unknown) => (open.failure ??= error) });
      return (request ?? open).enter(() => next.handle()).pipe(noteFailure);
    }
    if (isInsideTracedWork()) return next.handle();
    const { tracer, requests } = this.ref;
    if (requests.requests === false && context.getType() === 'http') return next.handle();
    const span = takeMessage(context) ?? tracer?.defer(new MessageWork(context, requests));
    if (span === undefined) return next.handle();
    noteEnrichment(span, context, requests);
    return runInside(span, next);
  }
}

/** The handler is called, and its Observable subscribed to, inside the span, which ends with the Observable. */
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
