import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionOptions, parseProxyUrl } from '../options/connection-options.js';
import { bareHost, type Proxy, proxyFromEnvironment, toProxy } from './proxy.js';
import type { Connected, Connecting, ProxyTunnel } from './tunnel.js';

/** The target of a request, without its method. */
export interface RequestTarget {
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const UNUSABLE_PROXY =
  'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY has no http or https address, so the tracer connects without a proxy. ' +
  'Correct the variable, or set connection.proxy or connection.agent.';

/** The route to the service: its address, a proxy, certificates, connections. */
export class ServiceRoute {
  readonly serviceUrl: URL;
  readonly ca: ConnectionOptions['ca'];
  /** A sentence on why the proxy in the environment is not used; `undefined` without a problem. */
  readonly problem: string | undefined;
  /** Private, because the proxy may contain a user and a password, and so may the agent. */
  readonly #proxy: Proxy | undefined;
  readonly #agent: Agent | undefined;

  constructor(serviceUrl: string, { proxy, ca, agent }: ConnectionOptions = {}) {
    const url = (this.serviceUrl = new URL(serviceUrl));
    this.ca = ca;
    this.#agent = agent;
    if (agent !== undefined || proxy === false) return;
    const named = proxy ?? proxyFromEnvironment(url);
    const proxyUrl = named === undefined ? undefined : parseProxyUrl(named);
    this.#proxy = proxyUrl && toProxy(proxyUrl);
    if (named !== undefined && proxyUrl === undefined) this.problem = UNUSABLE_PROXY;
  }

  /** Whether the application supplies the agent. */
  get hasOwnAgent(): boolean {
    return this.#agent !== undefined;
  }

  /** Whether requests use TLS: to the service, or to a proxy that forwards them. */
  get isTls(): boolean {
    return this.#isForwarded ? this.#proxy?.isTls === true : this.serviceUrl.protocol === 'https:';
  }

  get tunnel(): ProxyTunnel | undefined {
    if (this.#proxy === undefined || this.#isForwarded) return undefined;
    return { ...this.#proxy, authority: `${this.serviceUrl.hostname}:${this.serviceUrl.port || '443'}` };
  }

  /** @param path with a leading slash */
  target(path: string, headers: Readonly<Record<string, string>>): RequestTarget {
    const { serviceUrl } = this;
    const { origin, host, pathname, port } = serviceUrl;
    const whole = `${pathname.replace(/\/$/, '')}${path}`;
    if (this.#proxy === undefined || !this.#isForwarded)
      return { hostname: bareHost(serviceUrl), port, path: whole, headers };
    const { hostname, port: proxyPort, headers: forProxy } = this.#proxy;
    return {
      hostname,
      port: proxyPort,
      path: `${origin}${whole}`,
      headers: { host, ...headers, ...forProxy },
    };
  }

  /**
   * Creates an agent for requests to the service. The caller destroys it, unless the application supplied it.
   *
   * @param connecting options for the time until a proxy has connected
   */
  createAgent(options: AgentOptions, connecting: Connecting): Agent {
    if (this.#agent !== undefined) return this.#agent;
    const { tunnel, ca } = this;
    const { Agent } = this.#protocol;
    const agent = new Agent({ keepAlive: true, ...options, ...(ca !== undefined && { ca }) });
    if (tunnel !== undefined) {
      const connect = (to: object, done: Connected): undefined => {
        import('./tunnel.js').then(({ openTunnel }) => {
          openTunnel(tunnel, ca, connecting, to, done);
        }, done);
      };
      Object.assign(agent, { createConnection: connect });
    }
    return agent;
  }

  /** Whether the global `fetch` uses the same route. */
  get isPlain(): boolean {
    return this.#proxy === undefined && this.#agent === undefined && this.ca === undefined;
  }

  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
    return this.#protocol.request(options, onResponse);
  }

  get #isForwarded(): boolean {
    return this.#proxy !== undefined && this.serviceUrl.protocol === 'http:';
  }

  get #protocol() {
    return process.getBuiltinModule(this.isTls ? 'node:https' : 'node:http');
  }
}

/** Prevents a connection from keeping the process alive, while it connects and afterwards. */
export function keepFromHoldingTheProcess(socket: Socket): void {
  socket.unref();
  // Each address that is tried while connecting has a handle of its own.
  if (socket.connecting) socket.on('connectionAttempt', () => socket.unref());
}
