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
  type DeferredWork,
  type IncomingOrigin,
  type SpanDefinition,
} from '@dacapo/tracer/internal';
import type { ClsContexts } from './cls-contexts.js';
import { isUntraced } from '../tracing/no-trace.decorator.js';
import { httpExecutionContext } from './http-execution-context.js';
import { noteEnrichment } from './note-enrichment.js';
import type { RequestOptions } from './request-options.js';
import { routeOf } from './route-of.js';
import { routedHandlerOf } from './routed-handler.js';

/** Node's own objects, and those that the platform made of them. */
export interface HttpExchange {
  readonly request: object;
  readonly response: object;
  readonly rawRequest: IncomingMessage;
  readonly rawResponse: ServerResponse;
}

/** On Node's request itself: a WeakMap would cost more than all the rest. */
const REQUEST = Symbol.for('@dacapo/nestjs/http-request');

interface KeptRequest {
  [REQUEST]?: HttpRequest | undefined;
}

/** The request that is stored on Node's request; `undefined` where it opened none. */
export function httpRequestOf(rawRequest: object): HttpRequest | undefined {
  return (rawRequest as KeptRequest)[REQUEST];
}

/**
 * The request whose contexts the running code is in, if it is the one with this object of Node or the platform. Asked before
 * `httpRequestOf`: Express gives each request a hidden class of its own, so reading a property of it is a runtime lookup.
 */
export function enteredRequest(kind: keyof HttpExchange, object: object): HttpRequest | undefined {
  const work = DeferredSpan.entered()?.work;
  if (!(work instanceof HttpRequest) || work.exchange[kind] !== object) return undefined;
  return work.isInOwnCls ? work : undefined;
}

/** The HTTP request that a handler of HTTP or GraphQL serves, of Express or of Fastify. */
export function httpRequestIn(context: ExecutionContext): HttpRequest | undefined {
  const type = context.getType<string>();
  if (type !== 'http' && type !== 'graphql') return undefined;
  const request = type === 'http' ? context.getArgByIndex<GivenRequest>(0) : graphqlRequestOf(context);
  return typeof request === 'object' ? httpRequestOf(request.raw ?? request) : undefined;
}

interface GivenRequest {
  /** Fastify */
  readonly raw?: object;
}

interface GivenGraphqlContext {
  /** Apollo */
  readonly req?: GivenRequest;
  /** Mercurius */
  readonly reply?: { readonly request?: GivenRequest };
}

function graphqlRequestOf(context: ExecutionContext): GivenRequest | undefined {
  const given = context.getArgByIndex<GivenGraphqlContext | undefined>(2);
  return given?.req ?? given?.reply?.request;
}

/**
 * A request, as the span that it becomes if something inside is traced, and the context that its steps run in.
 *
 * It is kept with Node's request: a middleware may go on in the context of another, when it is called by a connection that
 * the other was the first to use.
 */
export class HttpRequest implements DeferredWork {
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
    // Absent over HTTP/2, whose responses only tell when they close.
    this.isClosed = (exchange.rawResponse as { closed?: boolean }).closed === true;
    this.span = tracer.defer(this);
  }

  /** Ends with the response; `undefined` while tracing is off. */
  readonly span: DeferredSpan | undefined;

  /** @returns `undefined` where a request is no work of its own: tracing is off, or it becomes a WebSocket */
  static open(
    exchange: HttpExchange,
    { tracer, options, cls }: { tracer: Tracer; options: RequestOptions; cls: ClsContexts | undefined },
  ): HttpRequest | undefined {
    if (options.requests === false) return undefined;
    const { rawRequest } = exchange;
    if (becomesWebSocket(rawRequest)) return undefined;
    const request = new HttpRequest(exchange, options, cls, tracer);
    if (request.span === undefined) return undefined;
    return ((rawRequest as KeptRequest)[REQUEST] = request);
  }

  get carrier(): Carrier {
    return this.exchange.rawRequest.headers;
  }

  get origin(): IncomingOrigin {
    return { transport: 'http', incoming: this.options.incoming };
  }

  /** Its client left or has its answer, and no handler of it runs any more. */
  get isOver(): boolean {
    return this.isClosed && !isPending(this.handled) && this.handledBefore?.some(isPending) !== true;
  }

  /** Whether the code that asks runs in its contexts. */
  get isEntered(): boolean {
    return this.span?.isEntered === true && this.isInOwnCls;
  }

  /** Whether the context of nestjs-cls, where there is one, is the request's. */
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

  /** What a handler gave: what runs in the context before its promise has settled is part of the request. */
  handledBy<R>(result: R): R {
    if (typeof result !== 'object') return result;
    if (this.handled !== undefined) (this.handledBefore ??= []).push(this.handled);
    this.handled = result;
    return result;
  }

  /**
   * All guards of the route passed: `enrich` is called now if something inside was traced, or when it is.
   *
   * @param context that of the route, if the request does not show its controller
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
      this.routeContext ?? httpExecutionContext(request, response, routedHandlerOf(request)),
    );
  }

  /** Calls `enrich` with the context of a handler: now, if something inside was traced, or when it is. */
  noteEnrichment(context: ExecutionContext): void {
    if (this.span !== undefined) noteEnrichment(this.span, context, this.options);
  }

  /** The response was sent, or its connection is gone, and its listeners were called. */
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
    const route = routeOf(request);
    return {
      definition: definitionOf(route === undefined ? `HTTP ${method}` : `${method} ${route}`),
      input: [{ method, path: pathOf(rawRequest) }],
    };
  }

  private isExcluded(): boolean {
    const { request, response } = this.exchange;
    const routed = routedHandlerOf(request);
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

type Emit = (this: ServerResponse, event: string | symbol, ...args: unknown[]) => boolean;

/**
 * An `emit` that calls the listeners of a response in the contexts of its request: a session store may send the answer in those
 * of another. A call that a listener of `close` makes is still part of the request.
 *
 * @param inherited finds the `emit` that it replaces, which other tools may patch later
 */
function emitInRequest(inherited: (response: ServerResponse) => Emit): Emit {
  return function (event, ...args) {
    const entered = enteredRequest('rawResponse', this);
    const request = entered ?? httpRequestOf(this.req);
    const emit = inherited(this);
    try {
      if (entered !== undefined || request === undefined) return emit.call(this, event, ...args);
      return request.enter(emit.bind(this), event, ...args);
    } finally {
      if (event === 'close') request?.closed();
    }
  };
}

const emitOfPrototype = (object: object): Emit => (Object.getPrototypeOf(object) as { emit: Emit }).emit;
const ownEmit = emitInRequest(emitOfPrototype);

/** Has a response call its listeners in the contexts of its request. One function for all: a closure for each would cost more. */
export function emitResponseInRequest(response: ServerResponse): void {
  response.emit = ownEmit;
}

/** The same for all responses that get this prototype, such as those of an Express application. */
export function emitResponsesInRequest(prototype: ServerResponse): void {
  prototype.emit = emitInRequest(() => emitOfPrototype(prototype));
}

/** By Node's word, which says no where nobody listens for upgrades: what only asks for one is a request like any other. */
function becomesWebSocket(request: IncomingMessage & { readonly upgrade?: boolean | null }): boolean {
  return request.upgrade === true && request.headers.upgrade?.toLowerCase() === 'websocket';
}

/** A promise tells its state at once to nobody but `inspect`; asked of the few requests that are over when a span opens. */
function isPending(result: unknown): boolean {
  return (
    isPromise(result) && /^Promise \{\s*<pending>/.test(inspect(result, { depth: 0, customInspect: false }))
  );
}

/** Stands for the exception that a filter turned into an answer. */
class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(statusCode: number) {
    super(`${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim());
    delete this.stack;
  }
}

const definitions = new Map<string, SpanDefinition>();

/** One for each route; an application has a bounded number of those. */
function definitionOf(name: string): SpanDefinition {
  let definition = definitions.get(name);
  if (definition === undefined) {
    definition = defineSpan({ key: name, name, onlyWithChildren: true });
    definitions.set(name, definition);
  }
  return definition;
}

/** Without the query: it may hold secrets. */
function pathOf(request: IncomingMessage): string {
  const { originalUrl } = request as { originalUrl?: string };
  return (originalUrl ?? request.url ?? '/').replace(/\?.*$/s, '');
}
