import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Carrier } from '@dacapo/tracer';
import {
  answeredAtOnce,
  defineSpan,
  type DeferredSpan,
  type DeferredSpanDescription,
  type DeferredWork,
  type SpanDefinition,
} from '@dacapo/tracer/internal';
import { isUntraced } from '../tracing/no-trace.decorator.js';
import { httpExecutionContext } from './http-execution-context.js';
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

/** A request, as the span that it becomes if something inside is traced. */
export class HttpRequest implements DeferredWork {
  private span: DeferredSpan | undefined;

  constructor(
    private readonly exchange: HttpExchange,
    private readonly options: RequestOptions,
  ) {}

  /** The span that ends with the response. */
  endsWithResponse(span: DeferredSpan): DeferredSpan {
    return (this.span = span);
  }

  get carrier(): Carrier {
    return this.exchange.rawRequest.headers;
  }

  describe(): DeferredSpanDescription | 'excluded' | 'over' {
    const { request, rawRequest, rawResponse } = this.exchange;
    if (rawResponse.closed) return 'over';
    if (this.isExcluded()) return 'excluded';
    rawResponse.once('close', () => {
      this.end();
    });
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
