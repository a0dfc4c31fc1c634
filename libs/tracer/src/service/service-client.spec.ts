import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceUnreachableError } from './errors.js';
import { ServiceClient } from './service-client.js';

describe('ServiceClient', () => {
  let server: Server;

  async function clientOf(answer: RequestListener, timeoutMs = 2000): Promise<ServiceClient> {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new ServiceClient({ serviceUrl: `http://127.0.0.1:${port}`, apiKey: 'k', timeoutMs });
  }

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('SPEC 4.2 timeout: gives up on an answer that does not begin in time', async () => {
    const client = await clientOf(() => undefined, 30);
    await expect(client.get('/x')).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
  });

  it('SPEC 4.2 timeout: gives up on an answer that does not end in time', async () => {
    const client = await clientOf((_, response) => void response.writeHead(200).write('{"half":'), 100);
    await expect(client.get('/x')).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
  });

  it('says why there was no answer, to an application under Jest as well', async () => {
    const client = await clientOf(() => undefined);
    server.close();
    await expect(client.get('/x')).rejects.toThrow(
      /got no answer: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check/,
    );
  });

  it('says so where the address has https and what listens speaks http', async () => {
    await clientOf(() => undefined);
    const serviceUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new ServiceClient({ serviceUrl, apiKey: 'k', timeoutMs: 2000 });
    await expect(client.get('/x')).rejects.toThrow(
      'got no answer: what listens there speaks no https. Write serviceUrl (TRACER_SERVICE_URL) with http://',
    );
  });

  it('gives the code of a failure that has no message, as that of several addresses', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const { message } = new ServiceUnreachableError(
      'GET /x',
      new TypeError('fetch failed', { cause: refused }),
    );
    expect(message).toMatch(/^GET \/x got no answer: ECONNREFUSED\. Check/);
  });

  it('never follows a redirect, which would carry the key along', async () => {
    const client = await clientOf((_, response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    );
    await expect(client.get('/x')).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
  });

  it('takes an answer without content, and refuses one that is no JSON', async () => {
    const client = await clientOf((request, response) =>
      request.url === '/none' ? response.writeHead(204).end() : response.end('<html>'),
    );
    expect(await client.post('/none', {})).toBeUndefined();
    await expect(client.get('/page')).rejects.toMatchObject({ code: 'TRACER_SERVICE_RESPONSE', status: 200 });
  });

  it.each([
    ['no content', 204, ''],
    ['an empty object', 200, '{}'],
    ['success in other words', 200, '{"ok":true}'],
    ['a list', 200, '[]'],
    ['null where the list should be', 200, '{"data":{"items":null}}'],
  ])('refuses %s where it was asked for something', async (_, status, text) => {
    const client = await clientOf((__, response) => response.writeHead(status).end(text));
    const refusal = { code: 'TRACER_SERVICE_RESPONSE', status };
    await expect(client.get('/x', 'data.items')).rejects.toMatchObject(refusal);
    await expect(client.post('/x', {}, 'data.items')).rejects.toMatchObject(refusal);
  });
});
