import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceUnreachableError } from './errors.js';
import { ServiceClient } from './service-client.js';

describe('ServiceClient', () => {
  let server: Server;

  async function createClient(answer: RequestListener, timeoutMs = 2000): Promise<ServiceClient> {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new ServiceClient({ serviceUrl: `http://127.0.0.1:${port}`, apiKey: 'k', timeoutMs });
  }

  const ask = async (client: ServiceClient) => (await client.api()).datasets.list();

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('SPEC 4.2 timeout: aborts a response that does not begin in time', async () => {
    const client = await createClient(() => undefined, 30);
    await expect(ask(client)).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
  });

  it('SPEC 4.2 timeout: aborts a response that does not end in time', async () => {
    const client = await createClient((_, response) => void response.writeHead(200).write('{"half":'), 100);
    await expect(ask(client)).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
  });

  it('reports why there was no response, also under Jest', async () => {
    const client = await createClient(() => undefined);
    server.close();
    await expect(ask(client)).rejects.toThrow(/got no answer: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check/);
  });

  it('reports an https address whose server speaks http', async () => {
    await createClient(() => undefined);
    const serviceUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new ServiceClient({ serviceUrl, apiKey: 'k', timeoutMs: 2000 });
    await expect(ask(client)).rejects.toThrow(
      'got no answer: the server there does not support https. Write serviceUrl (TRACER_SERVICE_URL) with http://',
    );
  });

  it('reports the code of a failure without a message, as for several addresses', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const { message } = new ServiceUnreachableError(
      'GET /x',
      new TypeError('fetch failed', { cause: refused }),
    );
    expect(message).toMatch(/^GET \/x got no answer: ECONNREFUSED\. Check/);
  });

  it('never follows a redirect, which would carry the key along', async () => {
    const client = await createClient((_, response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    );
    await expect(ask(client)).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
  });

  it('accepts a response without content, and rejects one that is not JSON', async () => {
    const client = await createClient(({ method }, response) =>
      method === 'DELETE' ? response.writeHead(204).end() : response.end('<html>'),
    );
    await expect((await client.api()).datasets.delete({ name: 'd' })).resolves.toBeUndefined();
    await expect(ask(client)).rejects.toMatchObject({ code: 'TRACER_SERVICE_RESPONSE', status: 200 });
  });

  it.each([
    ['no content', 204, ''],
    ['an empty object', 200, '{}'],
    ['success in other words', 200, '{"ok":true}'],
    ['a list', 200, '[]'],
    ['null where the list should be', 200, '{"items":null}'],
  ])('refuses %s where it was asked for something', async (_, status, text) => {
    const client = await createClient((__, response) => response.writeHead(status).end(text));
    const refusal = { code: 'TRACER_SERVICE_RESPONSE', status };
    await expect(ask(client)).rejects.toMatchObject(refusal);
    await expect(client.postJson('/x', '{}', 'items[]')).rejects.toMatchObject(refusal);
  });
});
