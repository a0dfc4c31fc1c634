import dgram from 'node:dgram';
import http from 'node:http';
import net from 'node:net';
import type { AnyFunction } from '../recording/span-definition.js';
import { currentReplayFrame, findReplayedCalls } from '../recording/recording-frame.js';

/** Where Node keeps what its `fetch` sends by, and undici what it sends by. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

const KEY = Symbol.for('@dacapo/network-guard');

/** The replays that deny connections, of whichever build of this package; while there is none, nothing is patched. */
interface NetworkGuard {
  replays: number;
  restore?: (() => void) | undefined;
}

const globals = globalThis as unknown as Record<symbol, NetworkGuard | undefined>;
const guard = (globals[KEY] ??= { replays: 0 });

/**
 * From now on code that runs in the context of a replayed call asks it before it connects: by a socket, by a datagram, by a
 * request over a connection that is open, or by `fetch`. All other code connects as ever.
 *
 * @returns what ends that
 */
export async function guardNetwork(): Promise<() => void> {
  // Node makes what `fetch` sends by at its first use.
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

/** `before` says whether the call is taken care of, and must not be made. */
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
    // What was patched over it meanwhile stays, and leads through here to nothing.
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

/** Over a connection that is open it asks no socket; and in a realm of its own, as under Jest, the dispatcher is out of sight. */
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

/** Lets it fail as a connection fails that is refused: later, by its own way. */
function deny(target: string, fail: (error: Error) => void): boolean {
  const error = findDenial(target);
  if (error === undefined) return false;
  process.nextTick(fail, error);
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
