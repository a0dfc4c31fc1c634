import { defer, type Observable } from 'rxjs';
import { replaceMethod } from '../tracing/proxy-method.js';
import { carryInData } from './carried-in-data.js';

/** The part of Nest's `ClientProxy` that is used. */
export interface ClientProxyLike {
  send(pattern: unknown, data: unknown): Observable<unknown>;
  emit(pattern: unknown, data: unknown): Observable<unknown>;
}

export interface ClientPropagation {
  /** `false` sends messages unchanged. Default: true. */
  readonly traceparent?: boolean | undefined;
}

const bound = new WeakSet<ClientProxyLike>();

/**
 * Makes a `ClientProxy` send `traceparent` with messages that are objects. The receiving service needs `TracerInterceptor`.
 * With `propagate: { clients: true }`, `TracerModule` does this for all clients of the container.
 */
export function propagateThroughClient<C extends ClientProxyLike>(
  client: C,
  { traceparent = true }: ClientPropagation = {},
): C {
  if (!traceparent || bound.has(client)) return client;
  bound.add(client);
  const send = client.send.bind(client);
  const emit = client.emit.bind(client);
  replaceMethod(client, 'send', (pattern: unknown, data: unknown) =>
    defer(() => send(pattern, carryInData(data))),
  );
  // `emit` sends at once, even without a subscriber.
  replaceMethod(client, 'emit', (pattern: unknown, data: unknown) => emit(pattern, carryInData(data)));
  return client;
}

export function isClientProxy(value: unknown): value is ClientProxyLike {
  const { send, emit, routingMap } = value as Record<string, unknown>;
  return typeof send === 'function' && typeof emit === 'function' && routingMap instanceof Map;
}
