import { parseProxyUrl } from '../options/connection-options.js';
import { proxyFromEnvironment, toProxy } from './proxy.js';

const findProxy = (address: string, env: Record<string, string>) =>
  proxyFromEnvironment(new URL(address), env);
const PROXY = 'http://proxy:3128';

describe('The proxy that the environment names', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://dacapo.example.com', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://dacapo.example.com', { https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, PROXY],
    ['https://dacapo.example.com', { HTTP_PROXY: PROXY }, undefined],
    ['http://dacapo.example.com', { HTTP_PROXY: PROXY }, PROXY],
    ['http://dacapo.example.com', { http_proxy: PROXY }, PROXY],
    ['http://dacapo.example.com', { HTTPS_PROXY: PROXY }, undefined],
    ['https://dacapo.example.com', { ALL_PROXY: PROXY }, PROXY],
    ['http://dacapo.example.com', { HTTP_PROXY: PROXY, REQUEST_METHOD: 'GET' }, undefined],
    ['https://dacapo.example.com', { HTTPS_PROXY: '' }, undefined],
    ['https://dacapo.example.com', { HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: '1' }, PROXY],
    ['https://dacapo.example.com', { HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: '0' }, undefined],
    ['http://127.0.0.1:4100', { HTTP_PROXY: PROXY }, undefined],
    ['http://localhost:4100', { HTTP_PROXY: PROXY }, undefined],
    ['http://[::1]:4100', { ALL_PROXY: PROXY }, undefined],
  ])('for %s with %j is %s', (address, env, expected) => {
    expect(findProxy(address, env)).toBe(expected);
  });

  it.each([
    ['https://dacapo.example.com', 'example.com', true],
    ['https://dacapo.example.com', '.example.com', true],
    ['https://dacapo.example.com', '*.example.com', true],
    ['https://dacapo.example.com', 'DACAPO.example.com', true],
    ['https://dacapo.example.com', 'ample.com', false],
    ['https://dacapo.example.com', 'a.b, dacapo.example.com ,c', true],
    ['https://dacapo.example.com', 'a.b dacapo.example.com', true],
    ['https://dacapo.example.com', '*', true],
    ['https://dacapo.example.com', '', false],
    ['https://dacapo.example.com', 'dacapo.example.com:443', true],
    ['https://dacapo.example.com', 'dacapo.example.com:8443', false],
    ['https://dacapo.example.com:8443', 'example.com:8443', true],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.3:8443', '10.1.2.3:443', false],
    ['https://10.1.2.3', '2.3', false],
    ['https://10.1.2.3', '10.0.0.0/99', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]:8443', '[fd00::1]:8443', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fe80::1]', 'fd00::/8', false],
  ])('is not used for %s by NO_PROXY=%s: %s', (address, list, isDirect) => {
    const direct = (name: string) => findProxy(address, { HTTPS_PROXY: PROXY, [name]: list }) === undefined;
    expect([direct('NO_PROXY'), direct('no_proxy')]).toEqual([isDirect, isDirect]);
  });
});

describe('The address of a proxy', () => {
  it.each([
    ['proxy:3128', { hostname: 'proxy', port: '3128', isTls: false }],
    ['http://proxy', { hostname: 'proxy', port: '80', isTls: false }],
    ['https://proxy', { hostname: 'proxy', port: '443', isTls: true }],
    ['http://[::1]:3128', { hostname: '::1', port: '3128', isTls: false }],
  ])('%s is read', (address, expected) => {
    expect(toProxy(parseProxyUrl(address)!)).toEqual({ ...expected, headers: {} });
  });

  it.each(['socks5://proxy:1080', 'http://', 'ht tp://x', ''])('%j is none', (address) => {
    expect(parseProxyUrl(address)).toBeUndefined();
  });

  it('contains its user and password decoded, for the proxy only', () => {
    const { headers } = toProxy(new URL('http://us%40er:pass%3Aword@proxy'));
    expect(headers).toEqual({
      'proxy-authorization': `Basic ${Buffer.from('us@er:pass:word').toString('base64')}`,
    });
  });
});
