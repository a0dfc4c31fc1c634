import { API, routePath } from '@dacapo/protocol/api';
import fc from 'fast-check';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { span } from './support/records.js';
import { runService, type Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

runService((opened, account) => {
  service = opened;
  tenant = account;
});

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };

/** The bytes as they travel. */
const ask = async (path: string, acceptEncoding?: string, method = 'GET') => {
  const headers = {
    'api-key': tenant.apiKey,
    ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
  };
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      httpRequest(service.url + path, { method, headers }, (answer) => {
        buffer(answer).then((body) => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
        }, reject);
      })
        .on('error', reject)
        .end();
    },
  );
};

/** The address of a span whose payload has this text in it. */
const storeText = async (text: string): Promise<string> => {
  const stored = span({ span_data: { input: [text] } });
  await tenant.store(stored);
  return routePath(API.traces.getSpan, { id: stored.trace_id, span_id: stored.id });
};

describe('JSON', () => {
  it.each(['br', 'gzip'] as const)('is sent as %s to clients that accept only that', async (encoding) => {
    const path = await storeText('many words '.repeat(5000));
    const { headers, body } = await ask(path, encoding);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': expect.stringMatching(/^application\/json/),
      'content-length': String(body.length),
      vary: 'accept-encoding',
    });
    const plain = await ask(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(body.length).toBeLessThan(plain.body.length / 20);
    expect(DECODE[encoding](body).equals(plain.body)).toBe(true);
  });

  it('is the same after decoding for any content', async () => {
    const texts = fc.sample(fc.string({ unit: 'binary', minLength: 30, maxLength: 100 }), 25);
    const stored = texts.map((text) => span({ span_data: { input: [text.repeat(30)] } }));
    await tenant.store(...stored);
    for (const { id, trace_id } of stored) {
      const path = routePath(API.traces.getSpan, { id: trace_id, span_id: id });
      const plain = await ask(path);
      for (const encoding of ['br', 'gzip'] as const) {
        const { headers, body } = await ask(path, encoding);
        const sent = (headers['content-encoding'] ?? 'identity') as keyof typeof DECODE;
        expect(DECODE[sent](body).equals(plain.body)).toBe(true);
      }
    }
  });

  it('is sent as it is when it is tiny, with word that it may differ', async () => {
    const { headers, body } = await ask(API.accounts.get.path, 'br, gzip');
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['vary']).toBe('accept-encoding');
    expect(JSON.parse(body.toString())).toMatchObject({ id: tenant.accountId });
  });

  it('of an error is compressed too, with the same content', async () => {
    const { status, headers, body } = await ask(`/api/v1/${'nothing'.repeat(300)}`, 'gzip');
    expect([status, headers['content-encoding']]).toEqual([404, 'gzip']);
    expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ status_code: 404 });
  });

  it('is sent whole over a reused connection', async () => {
    const path = await storeText('again '.repeat(2000));
    const bodies = await Promise.all(['gzip', 'br', 'gzip'].map((encoding) => ask(path, encoding)));
    for (const { headers, body } of bodies)
      expect(
        JSON.parse(DECODE[headers['content-encoding'] as 'br' | 'gzip'](body).toString()),
      ).toHaveProperty('id');
  });
});

it('an answer without a body stays without one', async () => {
  const page = await ask('/', 'br');
  const answer = await new Promise<{ status: number; headers: object; body: Buffer }>((resolve, reject) => {
    const headers = { 'if-none-match': String(page.headers['etag']), 'accept-encoding': 'br' };
    httpRequest(`${service.url}/`, { headers }, (response) => {
      buffer(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      }, reject);
    }).end();
  });
  expect([answer.status, answer.body.length]).toEqual([304, 0]);
  expect(answer.headers).not.toHaveProperty('content-encoding');
  const head = await ask(`/api/v1/${'nothing'.repeat(300)}`, 'br', 'HEAD');
  expect([head.status, head.body.length, head.headers['content-encoding']]).toEqual([404, 0, undefined]);
});
