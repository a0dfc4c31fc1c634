import type { ExecutionContext } from '@nestjs/common';
import { type Carrier, injectTraceContext } from '@dacapo/tracer';

/** Of messages whose transport has no headers: in their data, from where the receiver takes it out again. */
const CARRIED = '@dacapo/traceparent';

/** Records of NATS, RabbitMQ and MQTT hold data and headers. */
const RECORDS: ReadonlySet<string> = new Set(['NatsRecord', 'RmqRecord', 'MqttRecord']);

/** The same data with the `traceparent` of the open span, if data is an object and a span is open; a copy, then. */
export function carryInData(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !isCopied(data)) return data;
  const { traceparent } = injectTraceContext<{ traceparent?: string }>({});
  return traceparent === undefined ? data : withCarried(data, traceparent);
}

/** Takes out of a message what `carryInData` put there: handlers and pipes see the data that was sent. */
export function takeCarried(context: ExecutionContext): Carrier | undefined {
  if (context.getType() !== 'rpc') return undefined;
  const data = context.switchToRpc().getData<Record<string, unknown> | null | undefined>();
  const traceparent = typeof data === 'object' && data !== null ? data[CARRIED] : undefined;
  if (typeof traceparent !== 'string') return undefined;
  Reflect.deleteProperty(data as object, CARRIED);
  return { traceparent };
}

function withCarried(data: object, traceparent: string): object {
  if (!RECORDS.has(classNameOf(data))) return copyOf(data, { [CARRIED]: traceparent });
  const { data: inner } = data as { data?: unknown };
  if (typeof inner !== 'object' || inner === null || !isCopied(inner)) return data;
  return copyOf(data, { data: copyOf(inner, { [CARRIED]: traceparent }) });
}

function classNameOf(data: object): string {
  return typeof data.constructor === 'function' ? data.constructor.name : '';
}

/** What is written as its own properties are. */
function isCopied(data: object): boolean {
  return !Array.isArray(data) && !ArrayBuffer.isView(data) && !('toJSON' in data) && !('pipe' in data);
}

function copyOf(data: object, more: object): object {
  return Object.assign(Object.create(Object.getPrototypeOf(data) as object | null) as object, data, more);
}
