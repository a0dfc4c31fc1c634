import type { ExecutionContext } from '@nestjs/common';
import type { IncomingOption } from '@dacapo/tracer';

/** What `enrich` adds to the trace of a request. */
export interface RequestNotes {
  sessionId?: string | undefined;
  userId?: string | undefined;
  tags?: readonly string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface RequestOptions {
  /**
   * `false` creates no span for HTTP requests: each traced call in a request starts a trace. Default: true; for a named tracer,
   * false.
   */
  requests?: boolean | undefined;
  /**
   * Return `true` to record nothing in a request. Called at most once per request, when something in it is first traced.
   *
   * Class and handler are then known, except in middleware and on GraphQL, which has one HTTP request for many handlers. The
   * class is also unknown in a method that several controllers inherit.
   */
  exclude?: ((context: ExecutionContext) => boolean) | undefined;
  /**
   * Returns session, user, tags and metadata for the trace of a request. Called after guards and before interceptors and pipes, if
   * something in the request is traced. Messages of gateways and microservices need the interceptor for it.
   *
   * Handlers of queues, schedules, events and CQRS are included, unless traced code calls them: `context.getType()` is then
   * `queue`, `schedule`, `event` or `cqrs`, and `context.getArgs()` has the arguments of the handler.
   */
  enrich?: ((context: ExecutionContext) => RequestNotes) | undefined;
  /**
   * What to do with an incoming `traceparent`, for all transports or by `http`, `queues` and `rpc`. `link` starts a trace with a link
   * to the caller's span, `continue` joins the caller's trace and follows its sampling, `ignore` starts a trace without a link. A
   * function decides by the headers. With `propagate: { queues: true }`, queues default to `continue`.
   */
  incoming?: IncomingOption | undefined;
  /** Which transports send `traceparent` automatically. Default: none. */
  propagate?: PropagateOptions | undefined;
}

/** Which transports send `traceparent` automatically. */
export interface PropagateOptions {
  /**
   * Messages of Nest's `ClientProxy` that are objects. In the receiving service, `TracerInterceptor` removes it from the data.
   * Default: false.
   */
  clients?: boolean | undefined;
  /** Jobs of BullMQ, in the job options. Default: false. */
  queues?: boolean | undefined;
}
