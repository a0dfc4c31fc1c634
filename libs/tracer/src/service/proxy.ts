import { BlockList, isIP } from 'node:net';

/** The proxy for requests to the service. */
export interface Proxy {
  readonly isTls: boolean;
  readonly hostname: string;
  readonly port: string;
  /** For requests to the proxy: `Proxy-Authorization`, or none. */
  readonly headers: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function toProxy(url: URL): Proxy {
  const isTls = url.protocol === 'https:';
  const { username, password } = url;
  const credentials = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64');
  return {
    isTls,
    hostname: bareHost(url),
    port: url.port || (isTls ? '443' : '80'),
    headers: username + password === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` },
  };
}

/**
 * Finds the proxy for an address in the environment, with the rules of curl and Node: `https_proxy`, `http_proxy`, `all_proxy` and
 * `no_proxy`, lower case first. A service on loopback is reached directly, and so is every service if `NODE_USE_ENV_PROXY` is 0.
 */
export function proxyFromEnvironment(service: URL, env: Environment = process.env): string | undefined {
  if (env['NODE_USE_ENV_PROXY'] === '0') return undefined;
  const isHttps = service.protocol === 'https:';
  // A CGI script gets the request header `Proxy` as HTTP_PROXY.
  const isCgi = !isHttps && env['REQUEST_METHOD'] !== undefined;
  const ofScheme = isHttps
    ? read(env, 'https_proxy')
    : isCgi
      ? env['http_proxy']?.trim()
      : read(env, 'http_proxy');
  const proxy = ofScheme || read(env, 'all_proxy');
  if (!proxy || isLoopbackHost(bareHost(service))) return undefined;
  return isExcluded(service, read(env, 'no_proxy') ?? '') ? undefined : proxy;
}

/** Whether `no_proxy` names the address: `*`, a name with its subdomains, an address, a CIDR block, each with a port or without. */
function isExcluded(service: URL, list: string): boolean {
  const host = bareHost(service).replace(/\.$/, '').toLowerCase();
  const port = service.port || (service.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, bracketed, plain, wantedPort] =
        /^(?:\[([^\]]+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
      const wanted = (bracketed ?? plain ?? '').replace(/^\*?\./, '').replace(/\.$/, '');
      if (wanted === '' || (wantedPort !== undefined && wantedPort !== port)) return false;
      if (isIP(host) !== 0) return wanted === host || isInBlock(host, wanted);
      return host === wanted || host.endsWith(`.${wanted}`);
    });
}

function isInBlock(host: string, block: string): boolean {
  const [network = '', bits] = block.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0 || isIP(host) !== isIP(network)) return false;
  const longest = family === 'ipv6' ? 128 : 32;
  const prefix = bits === undefined ? longest : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > longest) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, family);
}

function read(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || env[name.toUpperCase()]?.trim();
}

export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Whether a host is this machine. */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
