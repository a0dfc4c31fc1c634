import type { ExecutionContext } from '@nestjs/common';
import { type Carrier, injectTraceContext } from '@dacapo/tracer';

/** Member of the data of messages whose transport has no headers. The receiver removes it. */
const CARRIED = '@dacapo/traceparent';

/** Nest's classes for messages with data and headers. */
const RECORDS: ReadonlySet<string> = new Set(['NatsRecord', 'RmqRecord', 'MqttRecord']);

/** Returns a copy of the data with the `traceparent` of the open span; the data itself if there is none or it is not an object. */
export function carryInData(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !isCopyable(data)) return data;
  const { traceparent } = injectTraceContext<{ traceparent?: string }>({});
  return traceparent === undefined ? data : withCarried(data, traceparent);
}

/** Removes from a message what `carryInData` added, so that handlers and pipes see the data as sent. */
export function takeCarried(context: ExecutionContext): Carrier | undefined {
  if (context.getType() !== 'rpc') return undefined;
  const data = context.switchToRpc().getData<Record<string, unknown> | null | undefined>();
  const traceparent = typeof data === 'object' && data !== null ? data[CARRIED] : undefined;
  if (typeof traceparent !== 'string') return undefined;
  Reflect.deleteProperty(data as object, CARRIED);
  return { traceparent };
}

function withCarried(data: object, traceparent: string): object {
  if (!RECORDS.has(getClassName(data))) return copyWith(data, { [CARRIED]: traceparent });
  const { data: inner } = data as { data?: unknown };
  if (typeof inner !== 'object' || inner === null || !isCopyable(inner)) return data;
  return copyWith(data, { data: copyWith(inner, { [CARRIED]: traceparent }) });
}

function getClassName(data: object): string {
  return typeof data.constructor === 'function' ? data.constructor.name : '';
}

/** Whether the data is serialized as its own properties. */
function isCopyable(data: object): boolean {
  return !Array.isArray(data) && !ArrayBuffer.isView(data) && !('toJSON' in data) && !('pipe' in data);
}

function copyWith(data: object, more: object): object {
  return Object.assign(Object.create(Object.getPrototypeOf(data) as object | null) as object, data, more);
}
