import type { Agent } from 'node:http';
import { type GivenOptions, option } from './option.js';

/** How to reach the service. */
export const CONNECTION_OPTIONS = {
  /**
   * Address of an HTTP proxy, with user and password if it requires them. `false` ignores the environment and uses none.
   *
   * Default: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case. A service on loopback is
   * reached directly, unless this option is given.
   */
  proxy: option<string | false>({
    takes: 'an http or https address, or false',
    defaultText: 'from the environment',
    accepts: (value): value is string | false =>
      value === false || (typeof value === 'string' && parseProxyUrl(value) !== undefined),
    // The message omits the value, which may contain a password.
    problem: () => 'must be an http or https address, or false',
    cure: 'Write it like http://proxy.example.com:3128.',
  }),
  /** PEM certificates to trust instead of Node's. To add to Node's, set `NODE_EXTRA_CA_CERTS`. */
  ca: option<string | string[]>({
    takes: 'a certificate in PEM, or a list of them',
    defaultText: "Node's",
    accepts: (value): value is string | string[] =>
      isPem(value) || (Array.isArray(value) && value.length > 0 && value.every(isPem)),
    problem: () => 'must be a certificate in PEM, or a list of them',
    cure: "Write it like readFileSync('ca.pem', 'utf8').",
  }),
  /**
   * An `http.Agent`, or an `https.Agent` for an https service, that makes the connections. It replaces `proxy` and `ca`.
   * `delivery.atExit: 'send'` then sends nothing, because another thread cannot use the agent.
   */
  agent: option<Agent>({
    takes: 'an agent of node:http or node:https',
    accepts: (value): value is Agent =>
      typeof value === 'object' &&
      value !== null &&
      'addRequest' in value &&
      typeof value.addRequest === 'function',
    cure: 'Write it like new Agent({ keepAlive: true }), with Agent from node:https.',
  }),
};

export type ConnectionOptions = GivenOptions<typeof CONNECTION_OPTIONS>;

function isPem(value: unknown): value is string {
  return typeof value === 'string' && value.includes('-----BEGIN ');
}

/** Parses the address of an http or https proxy; a host with a port means http. Returns `undefined` for other texts. */
export function parseProxyUrl(text: string): URL | undefined {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}
