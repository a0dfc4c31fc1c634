import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { inspect } from 'node:util';
import { isPromise } from 'node:util/types';
import type { ExecutionContext } from '@nestjs/common';
import type { Carrier, Tracer } from '@dacapo/tracer';
import {
  answeredAtOnce,
  defineSpan,
  DeferredSpan,
  type DeferredSpanDescription,
  deferSpan,
  type DeferredWork,
  type IncomingOrigin,
  type SpanDefinition,
} from '@dacapo/tracer/internal';
import { isUntraced } from '../tracing/no-trace.decorator.js';
import type { ClsContexts } from './cls-contexts.js';
import { noteEnrichment } from './note-enrichment.js';
import type { RequestOptions } from '../request-options.js';
import { findRoutedHandler, httpExecutionContext, routeTemplate } from './route.js';

/** Node's request and response, and the objects that Express or Fastify made of them. */
export interface HttpExchange {
  readonly request: object;
  readonly response: object;
  readonly rawRequest: IncomingMessage;
  readonly rawResponse: ServerResponse;
}

/** Property of Node's request: a WeakMap would cost more than everything else here. */
const REQUEST = Symbol.for('@dacapo/nestjs/http-request');

interface MarkedRequest {
  [REQUEST]?: HttpRequest | undefined;
}

/** The `HttpRequest` that was opened for Node's request. */
export function storedRequest(rawRequest: object): HttpRequest | undefined {
  return (rawRequest as MarkedRequest)[REQUEST];
}

/**
 * The request whose contexts the running code is in, if it is the one with this object of Node or the platform. Check it
 * before `storedRequest`: Express gives each request a hidden class of its own, so reading a property of it is a runtime lookup.
 */
export function enteredRequest(kind: keyof HttpExchange, object: object): HttpRequest | undefined {
  const work = DeferredSpan.entered()?.work;
  if (!(work instanceof HttpRequest) || work.exchange[kind] !== object) return undefined;
  return work.isInOwnCls ? work : undefined;
}

/** The HTTP request that an HTTP or GraphQL handler serves, on Express or Fastify. */
export function requestServedBy(context: ExecutionContext): HttpRequest | undefined {
  const type = context.getType<string>();
  if (type !== 'http' && type !== 'graphql') return undefined;
  const request = type === 'http' ? context.getArgByIndex<PlatformRequest>(0) : readGraphqlRequest(context);
  return typeof request === 'object' ? storedRequest(request.raw ?? request) : undefined;
}

interface PlatformRequest {
  /** Fastify */
  readonly raw?: object;
}

interface GraphqlContext {
  /** Apollo */
  readonly req?: PlatformRequest;
  /** Mercurius */
  readonly reply?: { readonly request?: PlatformRequest };
}

function readGraphqlRequest(context: ExecutionContext): PlatformRequest | undefined {
  const graphqlContext = context.getArgByIndex<GraphqlContext | undefined>(2);
  return graphqlContext?.req ?? graphqlContext?.reply?.request;
}

/**
 * An HTTP request: the contexts in which its steps run, and the span that it becomes if something inside is traced.
 *
 * It is stored on Node's request, because a middleware may continue in the context of another request, for example when a
 * shared connection calls it.
 */
export class HttpRequest implements DeferredWork {
  /** Ends with the response; `undefined` while tracing is off. */
  readonly span: DeferredSpan | undefined;
  private handled: unknown;
  private handledBefore: unknown[] | undefined;
  private isDescribed = false;
  private isPastGuards = false;
  private routeContext: ExecutionContext | undefined;
  private isClosed: boolean;

  private constructor(
    readonly exchange: HttpExchange,
    private readonly options: RequestOptions,
    private readonly cls: ClsContexts | undefined,
    tracer: Tracer,
  ) {
    cls?.begin(exchange.rawRequest);
    // HTTP/2 responses have no `closed` and only emit the event.
    this.isClosed = (exchange.rawResponse as { closed?: boolean }).closed === true;
    this.span = deferSpan(tracer, this);
  }

  /** @returns `undefined` when tracing is off, or when the request becomes a WebSocket */
  static open(
    exchange: HttpExchange,
    { tracer, options, cls }: { tracer: Tracer; options: RequestOptions; cls: ClsContexts | undefined },
  ): HttpRequest | undefined {
    if (options.requests === false) return undefined;
    const { rawRequest } = exchange;
    if (becomesWebSocket(rawRequest)) return undefined;
    const request = new HttpRequest(exchange, options, cls, tracer);
    if (request.span === undefined) return undefined;
    return ((rawRequest as MarkedRequest)[REQUEST] = request);
  }

  get carrier(): Carrier {
    return this.exchange.rawRequest.headers;
  }

  get origin(): IncomingOrigin {
    return { transport: 'http', incoming: this.options.incoming };
  }

  /** The response is closed and all handlers have settled. */
  get isOver(): boolean {
    return this.isClosed && !isPending(this.handled) && this.handledBefore?.some(isPending) !== true;
  }

  /** Whether the running code is in the contexts of this request. */
  get isEntered(): boolean {
    return this.span?.isEntered === true && this.isInOwnCls;
  }

  /** Whether the context of nestjs-cls belongs to this request; `true` without nestjs-cls. */
  get isInOwnCls(): boolean {
    return this.cls === undefined || this.cls.isOwn(this.exchange.rawRequest, true);
  }

  /** Runs a step of the request in its contexts. */
  enter<A extends unknown[], R>(step: (...args: A) => R, ...args: A): R {
    const { span, cls } = this;
    if (span === undefined) return step(...args);
    if (cls === undefined) return span.enter(step, ...args);
    return cls.run(this.exchange.rawRequest, span.isEntered, () => span.enter(step, ...args));
  }

  /** Notes the result of a handler: until its promise settles, the request is not over. */
  trackHandler<R>(result: R): R {
    if (typeof result !== 'object') return result;
    if (this.handled !== undefined) (this.handledBefore ??= []).push(this.handled);
    this.handled = result;
    return result;
  }

  /**
   * Calls `enrich` as soon as something inside is traced, because all guards of the route passed.
   *
   * @param context the context of the route, if the request does not show its controller
   */
  passedGuards(context?: ExecutionContext): void {
    if (this.isPastGuards) return;
    this.isPastGuards = true;
    this.routeContext = context;
    if (this.isDescribed) this.enrichRoute();
  }

  private enrichRoute(): void {
    const { request, response } = this.exchange;
    this.noteEnrichment(
      this.routeContext ?? httpExecutionContext(request, response, findRoutedHandler(request)),
    );
  }

  /** Calls `enrich` with the context of a handler as soon as something inside is traced. */
  noteEnrichment(context: ExecutionContext): void {
    if (this.span !== undefined) noteEnrichment(this.span, context, this.options);
  }

  /** The response was sent or its connection was lost, and its `close` listeners ran. */
  closed(): void {
    this.isClosed = true;
    if (this.isDescribed) this.end();
    else this.span?.noteEnd();
  }

  describe(): DeferredSpanDescription | 'excluded' {
    const { request, rawRequest } = this.exchange;
    if (this.isExcluded()) return 'excluded';
    this.isDescribed = true;
    if (this.isPastGuards) this.enrichRoute();
    if (this.isClosed) this.end();
    const method = rawRequest.method ?? 'GET';
    const route = routeTemplate(request);
    return {
      definition: getDefinition(route === undefined ? `HTTP ${method}` : `${method} ${route}`),
      input: [{ method, path: readPath(rawRequest) }],
    };
  }

  private isExcluded(): boolean {
    const { request, response } = this.exchange;
    const routed = findRoutedHandler(request);
    if (routed !== undefined && isUntraced(routed.handler)) return true;
    const context = httpExecutionContext(request, response, routed);
    return answeredAtOnce('exclude', this.options.exclude?.(context)) === true;
  }

  private end(): void {
    const { statusCode, writableFinished } = this.exchange.rawResponse;
    const output = { status_code: statusCode };
    if (!writableFinished) this.span?.cancel(output);
    else if (statusCode < 400) this.span?.succeed(output);
    else this.span?.fail(this.span.failure ?? new HttpError(statusCode), output);
  }
}

/** Trusts Node's `upgrade` flag, which is false when the server has no upgrade listener. */
function becomesWebSocket(request: IncomingMessage & { readonly upgrade?: boolean | null }): boolean {
  return request.upgrade === true && request.headers.upgrade?.toLowerCase() === 'websocket';
}

/** Only `inspect` reads a promise's state synchronously. It runs for the few requests that are closed when a span opens. */
function isPending(result: unknown): boolean {
  return (
    isPromise(result) && /^Promise \{\s*<pending>/.test(inspect(result, { depth: 0, customInspect: false }))
  );
}

/** The error of a span whose exception is unknown because a filter handled it. */
class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(statusCode: number) {
    super(`${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim());
    delete this.stack;
  }
}

const definitions = new Map<string, SpanDefinition>();

/** Cached by route: an application has a bounded number of routes. */
function getDefinition(name: string): SpanDefinition {
  let definition = definitions.get(name);
  if (definition === undefined) {
    definition = defineSpan({ key: name, name, onlyWithChildren: true });
    definitions.set(name, definition);
  }
  return definition;
}

/** The path without the query, which may hold secrets. */
function readPath(request: IncomingMessage): string {
  const { originalUrl } = request as { originalUrl?: string };
  return (originalUrl ?? request.url ?? '/').replace(/\?.*$/s, '');
}
