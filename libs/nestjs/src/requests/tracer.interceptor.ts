import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { DeferredSpan, getCurrentTrace, isInsideTracedWork, type Tracer } from '@dacapo/tracer';
import { Observable, tap } from 'rxjs';
import type { TracerModuleOptions } from '../module/module-options.js';
import { MODULE_OPTIONS, MODULE_TRACER } from '../tokens.js';
import { MessageWork } from './message-work.js';

/**
 * Makes one trace of what a message handler calls, guards apart: for WebSockets and microservices, which have no
 * beginning that can be seen without it. On HTTP and GraphQL, where requests are traced already, it adds what `enrich`
 * says and the exception that was thrown.
 *
 * A handler that it reaches twice is traced once.
 */
@Injectable()
export class TracerInterceptor implements NestInterceptor {
  constructor(
    @Inject(MODULE_TRACER) private readonly tracer: Tracer,
    @Inject(MODULE_OPTIONS) private readonly options: TracerModuleOptions,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = DeferredSpan.current();
    if (request !== undefined && !request.isOver) {
      this.enrich(request, context);
      return next.handle().pipe(tap({ error: (error: unknown) => (request.failure ??= error) }));
    }
    if (isInsideTracedWork()) return next.handle();
    const span = this.tracer.defer(new MessageWork(context, this.options));
    if (span === undefined) return next.handle();
    this.enrich(span, context);
    return runInside(span, next);
  }

  private enrich(span: DeferredSpan, context: ExecutionContext): void {
    const { enrich } = this.options;
    if (enrich === undefined) return;
    span.whenOpened(() => {
      const { sessionId, metadata } = enrich(context);
      if (sessionId !== undefined) getCurrentTrace().setSessionId(sessionId);
      if (metadata !== undefined) getCurrentTrace().setMetadata(metadata);
    });
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
