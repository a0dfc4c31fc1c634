import type { ExecutionContext } from '@nestjs/common';
import type { Carrier, IncomingRule, IncomingTransport } from '@dacapo/tracer';
import {
  answeredAtOnce,
  defineSpan,
  type DeferredSpanDescription,
  type DeferredWork,
  type IncomingOrigin,
} from '@dacapo/tracer/internal';
import { takeCarried } from '../propagation/carried-in-data.js';
import { isUntraced } from '../tracing/no-trace.decorator.js';
import type { RequestOptions } from '../request-options.js';

interface MessageTraits {
  /** Carrier of the caller's trace, where the context has none. */
  readonly carrier?: Carrier | undefined;
  /** The `incoming` option of the handler's `@Traced`. Default: that of the module. */
  readonly incoming?: IncomingRule | undefined;
  /** `true`: the handler is a recorded call and needs no span around it. */
  readonly isRecorded?: boolean;
  /** `true`: a timer or listener of other work may call the handler. */
  readonly isLeftBehind?: boolean;
}

/** By context type. Handlers of other types are called in this process. */
const TRANSPORTS: Readonly<Record<string, IncomingTransport>> = {
  http: 'http',
  graphql: 'http',
  rpc: 'rpc',
  ws: 'rpc',
  queue: 'queues',
};

/** The work for one message, job or event, or for a request that was not traced from its beginning. */
export class MessageWork implements DeferredWork {
  private readonly carried: Carrier | undefined;

  constructor(
    private readonly context: ExecutionContext,
    private readonly options: RequestOptions,
    private readonly traits: MessageTraits = {},
  ) {
    // At once, so that the handler does not see what our own clients added.
    this.carried = traits.carrier ?? takeCarried(context);
  }

  get carrier(): Carrier | undefined {
    return this.carried ?? readCarrier(this.context);
  }

  get origin(): IncomingOrigin {
    const transport = TRANSPORTS[this.context.getType<string>()];
    return {
      transport,
      incoming: this.traits.incoming ?? this.options.incoming,
      isTrusted: transport === 'queues' && this.options.propagate?.queues === true,
    };
  }

  get isLeftBehind(): boolean {
    return this.traits.isLeftBehind === true;
  }

  describe(): DeferredSpanDescription | 'excluded' | 'no span' {
    const handler = this.context.getHandler();
    if (isUntraced(handler as () => unknown)) return 'excluded';
    if (answeredAtOnce('exclude', this.options.exclude?.(this.context)) === true) return 'excluded';
    if (this.traits.isRecorded === true) return 'no span';
    const key = `${this.context.getClass().name}.${handler.name}`;
    return {
      definition: defineSpan({ key, name: key, onlyWithChildren: true, captureOutput: false }),
      input: [{ transport: this.context.getType() }],
    };
  }
}

/** Members of the RPC contexts of Nest's transports that lead to a message's headers. */
interface MessageContext {
  /** A `MsgHdrs` with NATS, otherwise an object. */
  getHeaders?(): unknown;
  /** RabbitMQ and Kafka */
  getMessage?(): { headers?: unknown; properties?: { headers?: unknown } } | undefined;
  /** MQTT 5 */
  getPacket?(): { properties?: { userProperties?: unknown } } | undefined;
  /** gRPC's `Metadata`, or a `MsgHdrs` */
  get?(name: string): unknown;
}

/**
 * Returns the object with the `traceparent` of a request or a message: its headers, or, where the transport has none (TCP,
 * Redis, WebSockets), the message itself, as `injectTraceContext({ ...data })` writes it.
 */
function readCarrier(context: ExecutionContext): Carrier | undefined {
  switch (context.getType<string>()) {
    case 'http':
      return readHeaders(context.switchToHttp().getRequest());
    case 'graphql':
      return readHeaders((context.getArgByIndex<{ req?: unknown } | undefined>(2) ?? {}).req);
    case 'ws':
      return parseCarrier(context.switchToWs().getData());
    case 'rpc': {
      const rpc = context.switchToRpc();
      return readMessageHeaders(rpc.getContext<unknown>()) ?? parseCarrier(rpc.getData());
    }
    default:
      return undefined;
  }
}

function readMessageHeaders(context: unknown): Carrier | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const message = context as MessageContext;
  const candidates = [
    message.getHeaders?.(),
    message.getMessage?.()?.properties?.headers,
    message.getMessage?.()?.headers,
    message.getPacket?.()?.properties?.userProperties,
    message,
  ];
  for (const candidate of candidates) {
    const carrier = parseCarrier(candidate);
    if (carrier !== undefined) return carrier;
  }
  return undefined;
}

/** Reads `traceparent` from an object, a gRPC `Metadata` or a NATS `MsgHdrs`, if it has exactly one value. Bytes become text. */
function parseCarrier(headers: unknown): Carrier | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const { get, traceparent: own } = headers as { get?: unknown; traceparent?: unknown };
  const found: unknown =
    own ?? (typeof get === 'function' ? (get.call(headers, 'traceparent') as unknown) : undefined);
  const values: readonly unknown[] = Array.isArray(found) ? found : [found];
  const [value] = values.length === 1 ? values : [];
  if (typeof value === 'string' && value !== '') return { traceparent: value };
  return Buffer.isBuffer(value) ? { traceparent: value.toString('latin1') } : undefined;
}

function readHeaders(request: unknown): Carrier | undefined {
  return (request as { headers?: Carrier } | undefined)?.headers;
}
