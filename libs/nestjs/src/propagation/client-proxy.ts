import { defer, type Observable } from 'rxjs';
import { carryInData } from './carried-in-data.js';

/** The part of Nest's `ClientProxy` that is used. */
export interface ClientProxyLike {
  send(pattern: unknown, data: unknown): Observable<unknown>;
  emit(pattern: unknown, data: unknown): Observable<unknown>;
}

export interface ClientPropagation {
  /** `false`: messages are sent as they are. Default: true. */
  readonly traceparent?: boolean | undefined;
}

const bound = new WeakSet<ClientProxyLike>();

/**
 * Has a `ClientProxy` send `traceparent` with messages that are objects, for services whose handlers `TracerInterceptor`
 * reaches. `TracerModule` does so with the clients of the container where `propagate` says so; this is for those made
 * elsewhere.
 */
export function propagateThroughClient<C extends ClientProxyLike>(
  client: C,
  { traceparent = true }: ClientPropagation = {},
): C {
  if (!traceparent || bound.has(client)) return client;
  bound.add(client);
  const send = client.send.bind(client);
  const emit = client.emit.bind(client);
  Object.defineProperties(client, {
    send: {
      value: (pattern: unknown, data: unknown) => defer(() => send(pattern, carryInData(data))),
      configurable: true,
      writable: true,
    },
    emit: {
      // It sends at once, whether anyone subscribes or not.
      value: (pattern: unknown, data: unknown) => emit(pattern, carryInData(data)),
      configurable: true,
      writable: true,
    },
  });
  return client;
}

export function isClientProxy(value: unknown): value is ClientProxyLike {
  const { send, emit, routingMap } = value as Record<string, unknown>;
  return typeof send === 'function' && typeof emit === 'function' && routingMap instanceof Map;
}
