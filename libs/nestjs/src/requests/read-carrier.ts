import type { ExecutionContext } from '@nestjs/common';
import type { Carrier } from '@dacapo/tracer';

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
export function readCarrier(context: ExecutionContext): Carrier | undefined {
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
