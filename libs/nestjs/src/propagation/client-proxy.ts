import { inSubscribersContext } from '@dacapo/tracer/internal';
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

const bound = new WeakMap<ClientProxyLike, { carries: boolean }>();

/**
 * Has a `ClientProxy` answer each caller in his own context, not in that of the one who was first to connect; and send
 * `traceparent` with messages that are objects, for services whose handlers `TracerInterceptor` reaches. `TracerModule` does
 * so with the clients of the container, the second where `propagate` says so; this is for those made elsewhere.
 */
export function propagateThroughClient<C extends ClientProxyLike>(
  client: C,
  { traceparent = true }: ClientPropagation = {},
): C {
  const present = bound.get(client);
  if (present !== undefined) {
    present.carries ||= traceparent;
    return client;
  }
  const rule = { carries: traceparent };
  bound.set(client, rule);
  const send = client.send.bind(client);
  const emit = client.emit.bind(client);
  const carried = (data: unknown): unknown => (rule.carries ? carryInData(data) : data);
  Object.defineProperties(client, {
    send: {
      value: (pattern: unknown, data: unknown) =>
        inSubscribersContext(defer(() => send(pattern, carried(data)))),
      configurable: true,
      writable: true,
    },
    emit: {
      // It sends at once, whether anyone subscribes or not.
      value: (pattern: unknown, data: unknown) => inSubscribersContext(emit(pattern, carried(data))),
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
