import { API } from '@dacapo/protocol/api';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as timer } from 'node:timers/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import request from 'supertest';
import { Service } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

let service: Service;
const dashboardDir = temporaryDirectory();
const script = '// the whole script';
const forms = { br: brotliCompressSync(script), gzip: gzipSync(script) };

beforeAll(async () => {
  mkdirSync(join(dashboardDir, 'assets'));
  writeFileSync(join(dashboardDir, 'index.html'), '<!doctype html><p>the app</p>');
  writeFileSync(join(dashboardDir, 'favicon.svg'), '<svg/>');
  writeFileSync(join(dashboardDir, 'assets/index-1a2b.js'), 'export {};');
  writeFileSync(join(dashboardDir, 'assets/large.js'), script);
  writeFileSync(join(dashboardDir, 'assets/large.js.br'), forms.br);
  writeFileSync(join(dashboardDir, 'assets/large.js.gz'), forms.gzip);
  writeFileSync(join(dashboardDir, '..', 'secret.txt'), 'secret');
  service = await Service.start({ dashboardDir });
});

afterAll(() => service.close());

const get = (path: string) => request(service.url).get(path);

describe('the dashboard', () => {
  it.each(['/', '/traces/018f', '/test-runs/x?tab=1', '/sign-in'])('is the page at %s', async (path) => {
    const answer = await get(path).expect(200).expect('content-type', 'text/html; charset=utf-8');
    expect(answer.text).toContain('the app');
    expect(answer.get('cache-control')).toBe('no-cache');
  });

  it('sends its files, those named by content for good', async () => {
    const script = await get('/assets/index-1a2b.js')
      .expect(200)
      .expect('content-type', /text\/javascript/);
    expect(script.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await get('/favicon.svg').expect(200).expect('content-type', 'image/svg+xml');
    await get('/assets/gone.js').expect(404);
  });

  it('answers 304 to a browser with the current file', async () => {
    const { headers } = await get('/');
    await get('/')
      .set('if-none-match', headers['etag'] ?? '')
      .expect(304);
  });

  describe('with compressed versions', () => {
    const as = (accepted: string) =>
      get('/assets/large.js').set('accept-encoding', accepted).expect(200).expect('vary', 'accept-encoding');

    it.each([
      ['br, gzip, deflate, zstd', 'br'],
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['GZIP;q=0.5, *;q=0', 'gzip'],
      ['br;q=0, gzip;q=1.0', 'gzip'],
    ] as const)('sends to one who accepts %s the %s form', async (accepted, encoding) => {
      const answer = await as(accepted);
      expect(answer.get('content-encoding')).toBe(encoding);
      expect(answer.get('content-type')).toMatch(/text\/javascript/);
      expect(answer.get('cache-control')).toContain('immutable');
      expect(answer.get('content-length')).toBe(String(forms[encoding].length));
      expect(answer.text).toBe(script);
    });

    it.each(['', 'identity', 'br;q=0, gzip;q=0.000', 'brotli, x-gzip'])(
      'sends to one who accepts "%s" the file as it is',
      async (accepted) => {
        const answer = await as(accepted);
        expect(answer.get('content-encoding')).toBeUndefined();
        expect(answer.text).toBe(script);
      },
    );

    it('gives each version its own etag, and compares only that', async () => {
      const etags = new Map<string, string>();
      for (const accepted of ['br', 'gzip', 'identity']) {
        etags.set(accepted, (await as(accepted)).get('etag') ?? '');
      }
      expect(new Set(etags.values()).size).toBe(3);
      const again = (etag: string) =>
        get('/assets/large.js').set('accept-encoding', 'gzip').set('if-none-match', etag);
      await again(etags.get('gzip') ?? '')
        .expect(304)
        .expect('vary', 'accept-encoding');
      await again(etags.get('br') ?? '').expect(200);
    });

    it('does not list the forms as files of their own', async () => {
      await get('/assets/large.js.br').expect(404);
      await get('/assets/large.js.gz').expect(404);
    });
  });

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '//etc/passwd',
  ])('leads nowhere else by %s', async (path) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).not.toMatch(/\r\n\r\n.*(secret$|root:)/s);
  });

  it('explains how to build the page when it is missing', async () => {
    const bare = await Service.start({ dashboardDir: join(dashboardDir, 'none') });
    const answer = await request(bare.url)
      .get('/')
      .expect(200)
      .expect('content-type', /text\/html/);
    expect(answer.text).toContain('npm run build');
    await bare.close();
  });
});

describe('headers', () => {
  const COMMON = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
  };

  it('of the page allow only its own scripts and styles', async () => {
    const { headers } = await get('/');
    expect(headers).toMatchObject(COMMON);
    const policy = headers['content-security-policy'];
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it.each([API.service.live.path, API.traces.list.path, '/api/nothing', '/%zz'])(
    'of %s allow nothing',
    async (path) => {
      const { headers } = await get(path);
      expect(headers).toMatchObject({ ...COMMON, 'cache-control': 'no-store' });
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
    },
  );
});

describe('SPEC 2.5: every error has the body { detail, status_code }', () => {
  it.each([
    ['an unknown path of the API', 'get', '/api/v1/nothing', 404, 'Cannot GET /api/v1/nothing'],
    ['an unknown path under /health', 'get', '/health/x', 404, 'Cannot GET /health/x'],
    [
      'a method that a route does not have',
      'put',
      API.traces.list.path,
      404,
      `Cannot PUT ${API.traces.list.path}`,
    ],
    ['a POST to a page', 'post', '/', 404, 'Cannot POST /'],
    ['a path that does not decode', 'get', '/%zz', 400, "'/%zz' is not a valid url component"],
  ] as const)('%s', async (_, method, path, status_code, detail) => {
    const { body, status } = await request(service.url)[method](path);
    expect({ body, status }).toEqual({ body: { detail, status_code }, status: status_code });
  });

  it.each([
    ['no JSON', 'application/json', '{', 400, 'The body is not JSON'],
    ['an empty body', 'application/json', '', 400, 'The body is not JSON'],
    ['no object', 'application/json', '[]', 400, 'The body must be a JSON object'],
    ['another type', 'text/plain', '{}', 415, 'Content-Type must be application/json'],
    ['too deep', 'application/json', '['.repeat(5e6), 400, 'The body nests deeper than 512'],
  ])('a body that is %s', async (_, type, sent, status_code, detail) => {
    const tenant = await service.addTenant();
    const { body, status } = await tenant
      .post(API.testRuns.create.path)
      .set('content-type', type)
      .send(sent as never);
    expect({ body, status }).toEqual({ body: { detail, status_code }, status: status_code });
  });

  it('a request that is no HTTP', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.end('nonsense\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"Bad Request","status_code":400\}$/s);
  });
});

describe('a connection', () => {
  const connections = (server: Service) =>
    new Promise<number>((resolve, reject) => {
      server.app.getHttpServer().getConnections((error: Error | null, count: number) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  const readLeavingOpen = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let read = '';
      socket.on('data', (chunk: Buffer) => (read += chunk.toString()));
      socket.once('end', () => {
        resolve(read);
      });
    });

  it('of a rejected client is closed, even if the client never closes its side', async () => {
    const own = await Service.start();
    const port = Number(new URL(own.url).port);
    const sockets = Array.from({ length: 20 }, () =>
      connect({ port, host: '127.0.0.1', allowHalfOpen: true }),
    );
    try {
      for (const socket of sockets) socket.write('nonsense\r\n\r\n');
      const answers = await Promise.all(sockets.map(readLeavingOpen));
      expect(answers.every((answer) => answer.startsWith('HTTP/1.1 400 '))).toBe(true);
      expect(sockets.every(({ writable }) => writable)).toBe(true);
      while ((await connections(own)) > 0) await timer(20);
    } finally {
      for (const socket of sockets) socket.destroy();
      await own.close();
    }
  });
});

describe('health', () => {
  it('is live and ready without a key', async () => {
    expect((await get(API.service.live.path).expect(200)).body).toEqual({ status: 'ok' });
    expect((await get(API.service.ready.path).expect(200)).body).toEqual({ status: 'ok' });
  });
});
