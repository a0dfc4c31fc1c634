import type { ExecutionContext } from '@nestjs/common';
import type { IncomingOption } from '@dacapo/tracer';
import type { PropagateOptions } from '../propagation/bind-transports.js';

/** What is known of the trace that a request belongs to. */
export interface RequestNotes {
  sessionId?: string | undefined;
  userId?: string | undefined;
  tags?: readonly string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface RequestOptions {
  /**
   * `false`: HTTP requests open no span of their own, and what they call starts its own traces. Default: true; for a named
   * tracer, false.
   */
  requests?: boolean | undefined;
  /**
   * `true`: nothing inside that request is recorded. Asked at most once a request, and only when something in it is
   * traced: then the class and the handler are known, unless that was in middleware, on GraphQL, which has one HTTP request
   * for many handlers, or in a method that several controllers inherit, whose class stays unknown.
   */
  exclude?: ((context: ExecutionContext) => boolean) | undefined;
  /**
   * Returns session, user, tags and metadata for the trace of a request. Called after all guards, before interceptors and pipes, and only if
   * something in the request is traced. Messages of gateways and microservices need the interceptor.
   *
   * Handlers of queues, schedules, events and CQRS are included, unless traced code calls them: `context.getType()` is then
   * `queue`, `schedule`, `event` or `cqrs`, and `context.getArgs()` has the arguments of the handler.
   */
  enrich?: ((context: ExecutionContext) => RequestNotes) | undefined;
  /**
   * What becomes of a `traceparent` that comes in, for all or by `http`, `queues` and `rpc`: `link` starts a trace that names the
   * caller's span, `continue` joins the caller's trace and obeys its sampling, `ignore` starts a trace without a link. A function
   * decides by the headers. With `propagate: { queues: true }`, queues default to `continue`.
   */
  incoming?: IncomingOption | undefined;
  /** What sends `traceparent` without code of the application's. Default: nothing does. */
  propagate?: PropagateOptions | undefined;
}
