import type { Socket } from 'node:net';
import type { ConnectionOptions } from '../options/connection-options.js';
import type { Proxy } from './proxy.js';

/** A proxy that connects to the service (HTTP CONNECT). */
export interface ProxyTunnel extends Proxy {
  /** Host and port of the service. */
  readonly authority: string;
}

/** Called with the connection, or with the reason why there is none. */
export type Connected = (error: Error | null, socket?: Socket) => void;

/** Options for the time until a proxy has connected, before a request has its connection. */
export interface Connecting {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onSocket?: (socket: Socket) => void;
}

/** Opens a tunnel to the service through a proxy. Its errors contain no credentials. */
export function openTunnel(
  { isTls, hostname, port, authority, headers }: ProxyTunnel,
  ca: ConnectionOptions['ca'],
  { timeoutMs, signal, onSocket = () => undefined }: Connecting,
  to: object,
  done: Connected,
): void {
  const proxy = `the proxy ${hostname}:${port}`;
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const connecting = request({
    method: 'CONNECT',
    hostname,
    port,
    path: authority,
    headers: { host: authority, ...headers },
    agent: false,
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(signal !== undefined && { signal }),
    ...(ca !== undefined && { ca }),
  });
  connecting.on('socket', onSocket);
  connecting.on('timeout', () => connecting.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  connecting.on('connect', ({ statusCode = 0 }, socket) => {
    if (statusCode === 200) {
      const { connect } = process.getBuiltinModule('node:tls');
      done(null, connect({ ...to, socket }));
      return;
    }
    socket.destroy();
    done(
      new Error(
        `${proxy} answered ${statusCode}${statusCode === 407 ? ', it wants a user and a password' : ''}`,
      ),
    );
  });
  connecting.on('response', ({ statusCode = 0, socket }) => {
    socket.destroy();
    done(new Error(`${proxy} answered ${statusCode}`));
  });
  connecting.on('error', (cause: NodeJS.ErrnoException) => {
    done(new Error(`${proxy} failed: ${cause.message || (cause.code ?? 'no reason given')}`));
  });
  connecting.end();
}
