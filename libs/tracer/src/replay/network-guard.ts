import dgram from 'node:dgram';
import http from 'node:http';
import net from 'node:net';
import type { AnyFunction } from '../recording/span-definition.js';
import { currentReplayFrame, findReplayedCalls } from '../recording/recording-frame.js';

/** Where Node stores the dispatcher of its `fetch`, and undici its own. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** The original function, because a test of the application may have replaced it. */
const nextTick = process.nextTick.bind(process);

const KEY = Symbol.for('@dacapo/network-guard');

/** Replays that deny connections, of all copies of this package. Without any, nothing is patched. */
interface NetworkGuard {
  replays: number;
  restore?: (() => void) | undefined;
}

const globals = globalThis as unknown as Record<symbol, NetworkGuard | undefined>;
const guard = (globals[KEY] ??= { replays: 0 });

/**
 * Makes code in the context of a replayed call ask it before it connects: by a socket, a datagram, a
 * request over an open connection, or `fetch`. Other code connects normally.
 *
 * @returns a function that ends it
 */
export async function guardNetwork(): Promise<() => void> {
  // Node creates the dispatcher of `fetch` at its first use.
  await fetch('data:,');
  if (guard.replays++ === 0) guard.restore = patchAll();
  return () => {
    if (--guard.replays > 0) return;
    guard.restore?.();
    guard.restore = undefined;
  };
}

function patchAll(): () => void {
  const patches = [
    patch(net.Socket.prototype, 'connect', (socket: net.Socket, [options]) =>
      deny(describeTarget(options), (error) => {
        socket.destroy(error);
      }),
    ),
    patch(http.Agent.prototype, 'addRequest', (_, [request, options]) =>
      deny(describeTarget(options), (error) => {
        (request as { onSocket(socket: null, error: Error): void }).onSocket(null, error);
      }),
    ),
    patch(dgram.Socket.prototype, 'connect', denyDatagram),
    patch(dgram.Socket.prototype, 'send', denyDatagram),
    patchFetch(),
    ...patchDispatcher(),
  ];
  return () => {
    for (const unpatch of patches) unpatch();
  };
}

/** `before` returns whether it handled the call, which then must not run. */
function patch<Owner extends object>(
  owner: Owner,
  name: string,
  before: (self: Owner, args: readonly unknown[]) => boolean,
): () => void {
  const original = Reflect.get(owner, name) as AnyFunction;
  const patched = function (this: Owner, ...args: unknown[]): unknown {
    return before(this, args) ? this : Reflect.apply(original, this, args);
  };
  Reflect.set(owner, name, patched);
  return () => {
    // A later patch by other code stays, and passes through here without effect.
    if (Reflect.get(owner, name) === patched) Reflect.set(owner, name, original);
  };
}

function denyDatagram(socket: dgram.Socket, args: readonly unknown[]): boolean {
  const callback = args.findLast((arg) => typeof arg === 'function') as ((error: Error) => void) | undefined;
  const [port] = args.filter((arg) => typeof arg === 'number').slice(-1);
  const host = args.find((arg, index): arg is string => index > 0 && typeof arg === 'string');
  return deny(`udp ${host ?? 'localhost'}:${String(port ?? '')}`, (error) => {
    if (callback === undefined) socket.emit('error', error);
    else callback(error);
  });
}

/** A request over an open connection uses no new socket, and in a separate realm, as in Jest, the dispatcher is not visible. */
function patchFetch(): () => void {
  const original = globalThis.fetch;
  const patched = async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const [input] = args;
    const url = new URL(input instanceof Request ? input.url : input);
    const error = url.protocol.startsWith('http') ? findDenial(urlTarget(url.href)) : undefined;
    if (error !== undefined) throw new TypeError('fetch failed', { cause: error });
    return original(...args);
  };
  globalThis.fetch = patched;
  return () => {
    if (globalThis.fetch === patched) globalThis.fetch = original;
  };
}

function patchDispatcher(): (() => void)[] {
  let owner: object | null = (globalThis as { [DISPATCHER]?: object })[DISPATCHER] ?? null;
  while (owner !== null && !Object.hasOwn(owner, 'dispatch')) owner = Reflect.getPrototypeOf(owner);
  if (owner === null) return [];
  return [
    patch(owner, 'dispatch', (_, [options]) => {
      const { origin } = options as { origin?: unknown };
      const error = findDenial(urlTarget(String(origin)));
      if (error !== undefined) throw error;
      return false;
    }),
  ];
}

/** Makes it fail like a refused connection: later, with its own error path. */
function deny(target: string, fail: (error: Error) => void): boolean {
  const error = findDenial(target);
  if (error === undefined) return false;
  nextTick(fail, error);
  return true;
}

function findDenial(target: string): Error | undefined {
  const frame = currentReplayFrame();
  return findReplayedCalls(frame)?.denyConnection(frame?.parentId, target);
}

/** An address as `host:port`. */
export function urlTarget(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/^\[|\]$/g, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

interface ConnectOptions {
  readonly host?: string;
  readonly hostname?: string;
  readonly port?: number | string;
  readonly path?: string;
  readonly socketPath?: string;
}

/** What `connect` takes: options, the list that `net.connect` makes of them, a port, or a path. */
function describeTarget(connectArguments: unknown): string {
  const [options] = Array.isArray(connectArguments) ? (connectArguments as unknown[]) : [connectArguments];
  if (typeof options !== 'object' || options === null)
    return typeof options === 'number' ? `localhost:${options}` : String(options);
  const { host, hostname, port, path, socketPath } = options as ConnectOptions;
  const name = host ?? hostname;
  if (name === undefined && port === undefined) return socketPath ?? path ?? '';
  return `${name ?? 'localhost'}:${port ?? ''}`;
}
