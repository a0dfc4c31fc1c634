import type { ExecutionContext } from '@nestjs/common';
import type { Carrier } from '@dacapo/tracer';

/** The members of the RPC contexts of Nest's transports that lead to the headers of a message. */
interface MessageContext {
  /** NATS gives a `MsgHdrs`, others an object. */
  getHeaders?(): unknown;
  /** RabbitMQ and Kafka */
  getMessage?(): { headers?: unknown; properties?: { headers?: unknown } } | undefined;
  /** MQTT 5 */
  getPacket?(): { properties?: { userProperties?: unknown } } | undefined;
  /** gRPC's `Metadata`, or a `MsgHdrs` */
  get?(name: string): unknown;
}

/**
 * What holds the `traceparent` of a request or a message: its headers, where the transport has them, else the message
 * itself, as `injectTraceContext({ ...data })` writes it (TCP, Redis, WebSockets).
 */
export function carrierOf(context: ExecutionContext): Carrier | undefined {
  switch (context.getType<string>()) {
    case 'http':
      return headersOf(context.switchToHttp().getRequest());
    case 'graphql':
      return headersOf((context.getArgByIndex<{ req?: unknown } | undefined>(2) ?? {}).req);
    case 'ws':
      return carrierIn(context.switchToWs().getData());
    case 'rpc': {
      const rpc = context.switchToRpc();
      return messageHeaders(rpc.getContext<unknown>()) ?? carrierIn(rpc.getData());
    }
    default:
      return undefined;
  }
}

function messageHeaders(context: unknown): Carrier | undefined {
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
    const carrier = carrierIn(candidate);
    if (carrier !== undefined) return carrier;
  }
  return undefined;
}

/** Reads the one header, if there is exactly one, from an object, a gRPC `Metadata` or a NATS `MsgHdrs`; bytes become text. */
function carrierIn(headers: unknown): Carrier | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const { get, traceparent: own } = headers as { get?: unknown; traceparent?: unknown };
  const found: unknown =
    own ?? (typeof get === 'function' ? (get.call(headers, 'traceparent') as unknown) : undefined);
  const values: readonly unknown[] = Array.isArray(found) ? found : [found];
  const [value] = values.length === 1 ? values : [];
  if (typeof value === 'string' && value !== '') return { traceparent: value };
  return Buffer.isBuffer(value) ? { traceparent: value.toString('latin1') } : undefined;
}

function headersOf(request: unknown): Carrier | undefined {
  return (request as { headers?: Carrier } | undefined)?.headers;
}
