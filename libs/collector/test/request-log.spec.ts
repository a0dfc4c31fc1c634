import { type CollectorLogger, type LogOptions, StderrLogger, SystemClock } from '@dacapo/collector';
import { newSpanId, newTraceId, SCOPES } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { setImmediate } from 'node:timers/promises';
import type request from 'supertest';
import { StorageError } from '../src/errors.js';
import { NestLogger } from '../src/start-collector.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { score, span, spansToNdjson } from './support/records.js';
import { type Belongings, callsWith } from './support/routes.js';
import { Service } from './support/service.js';

const CANARY = 'hunter2canary';
const FORMS = [
  CANARY,
  Buffer.from(CANARY).toString('base64').slice(0, 16),
  Buffer.from(CANARY).toString('hex'),
];

/** Of any line; what else were told would have to be looked at here. */
const FIELDS = new Set([
  'time',
  'level',
  'message',
  'request_id',
  'method',
  'route',
  'status',
  'duration_ms',
  'account_id',
  'key_id',
  'body_bytes',
  'error',
  'code',
  'cause',
  'stack',
]);

let lines: string[];
let stderr: jest.SpyInstance;

beforeEach(() => {
  lines = [];
  stderr = jest.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});

afterEach(() => {
  stderr.mockRestore();
});

type Line = Record<string, unknown>;
const parsed = (): Line[] => lines.map((line) => JSON.parse(line) as Line);

/** What was logged of requests, once it is of so many: a client may be told before the log is. */
async function logged(requests: number): Promise<Line[]> {
  let found: Line[] = [];
  for (let looks = 0; found.length < requests && looks < 10_000; looks++) {
    await setImmediate();
    found = parsed().filter(({ duration_ms }) => duration_ms !== undefined);
  }
  return found;
}

const createLogger = (options: LogOptions): CollectorLogger => new StderrLogger(options);
const JSON_LOG: LogOptions = { format: 'json', level: 'info' };

describe('the log', () => {
  it('has a line for each request with caller, route and result', async () => {
    const service = await Service.start({ storage: 'memory', logger: createLogger(JSON_LOG) });
    const tenant = await service.addTenant();
    const body = spansToNdjson([span()]);
    const traceId = newTraceId();
    await tenant.ingest(body, { 'x-request-id': 'mine-1' }).expect(200).expect('x-request-id', 'mine-1');
    const missing = tenant.get(`${API.traces.list.path}/${traceId}`);
    await missing
      .set('traceparent', `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`)
      .expect('x-request-id', 'ab'.repeat(16));
    const { headers } = await service.anonymous.get(`${API.accounts.get.path}?a=b`).expect(401);
    await service.anonymous.get(API.service.live.path).expect(200);
    await service.anonymous.get('/api/nothing').expect(404);
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);

    const of = { time: expect.stringMatching(/^\d{4}-/), level: 'info', duration_ms: expect.any(Number) };
    const mine = { account_id: tenant.accountId, key_id: expect.any(String) };
    expect(await logged(4)).toEqual([
      {
        ...of,
        ...mine,
        message: 'POST /api/v1/ingest 200',
        request_id: 'mine-1',
        method: 'POST',
        route: '/api/v1/ingest',
        status: 200,
        body_bytes: Buffer.byteLength(body),
      },
      {
        ...of,
        ...mine,
        message: 'GET /api/v1/traces/:id 404',
        request_id: 'ab'.repeat(16),
        method: 'GET',
        route: '/api/v1/traces/:id',
        status: 404,
      },
      {
        ...of,
        message: 'GET /api/v1/account 401',
        request_id: headers['x-request-id'],
        method: 'GET',
        route: '/api/v1/account',
        status: 401,
      },
      expect.objectContaining({ message: 'GET /* 404', route: '/*' }),
    ]);
    await service.close();
  });

  it.each([
    ['too long', 'x'.repeat(129)],
    ['with what would break a line', 'a b"c'],
    ['that is a key', `dcp_${CANARY}`],
  ])('takes no id of a request %s', async (_, id) => {
    const service = await Service.start({ storage: 'memory', logger: createLogger(JSON_LOG) });
    const { headers } = await service.anonymous
      .get(API.service.live.path)
      .set('x-request-id', id)
      .expect(200);
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    await service.close();
  });

  it('contains no secret and no payload for any request and failure', async () => {
    const storage = await openInMemoryStorage(new SystemClock());
    const logger = createLogger(JSON_LOG);
    const service = await Service.start({ storage: () => storage, logger });
    const tenant = await service.addTenant();
    const { body: key } = await tenant
      .post(API.apiKeys.create.path, { name: CANARY, scopes: SCOPES })
      .expect(201);
    let requests = 1;
    const send = async (call: request.Test): Promise<number> => {
      requests++;
      return (await call.set('user-agent', CANARY).set('referer', `https://${CANARY}/`)).status;
    };

    const secret = {
      input: [CANARY],
      output: { password: CANARY },
      error: { name: CANARY, message: CANARY },
    };
    const stored = span({
      trace_function_key: CANARY,
      name: CANARY,
      span_data: { ...secret, prompt: CANARY },
    });
    const facts = { id: stored.trace_id, session_id: CANARY, metadata: { [CANARY]: CANARY } };
    const scored = score({ trace_id: stored.trace_id, name: CANARY, explanation: CANARY });
    const good = [{ span: stored }, { trace: facts }, { score: scored }].map((line) => JSON.stringify(line));
    expect(await send(tenant.ingest([...good, `{"span":"${CANARY}"`, CANARY].join('\n')))).toBe(200);
    await send(tenant.ingest(CANARY, { 'content-encoding': 'gzip' }));
    await send(tenant.ingest(CANARY, { 'content-encoding': CANARY }));
    await send(tenant.ingest('', { 'dacapo-batch-id': `${CANARY}!` }));

    for (const headers of [
      { 'api-key': `dcp_${CANARY}` },
      { authorization: `Bearer ${CANARY}` },
      { cookie: `dacapo_session=${CANARY}` },
      { 'api-key': key.api_key as string, origin: `https://${CANARY}` },
    ]) {
      await send(service.anonymous.get(API.accounts.get.path).set(headers as Record<string, string>));
    }
    for (const path of [
      `/sign-in?token=${CANARY}`,
      `/${CANARY}`,
      `${API.traces.list.path}?session_id=${CANARY}&${CANARY}=${CANARY}`,
      `${API.traces.list.path}?limit=${CANARY}`,
      `${API.traces.list.path}?cursor=${CANARY}`,
    ]) {
      await send(tenant.get(path));
    }
    const ids = Object.fromEntries(
      [
        'trace',
        'span',
        'run',
        'index',
        'apiKey',
        'browserSession',
        'member',
        'fn',
        'dataset',
        'deletion',
      ].map((name) => [name, CANARY]),
    ) as unknown as Belongings;
    for (const { method, path, body } of callsWith(ids)) {
      await send(method === 'post' ? tenant.post(path, { ...body, [CANARY]: CANARY }) : tenant[method](path));
    }
    await send(tenant.post(API.datasets.create.path, `{"name":"${CANARY}`));
    await send(service.anonymous.post(API.browserSessions.signIn.path).send({ api_key: `dcp_${CANARY}` }));

    const spans = storage.spans;
    const failures: [error: Error, status: number][] = [
      [new TypeError(`Cannot convert ${CANARY} to a BigInt`), 500],
      [Object.assign(new Error(CANARY, { cause: new Error(CANARY) }), { code: CANARY + '!' }), 500],
      [
        new StorageError(
          `near "${CANARY}": syntax error`,
          Object.assign(new Error(CANARY), { code: 'SQLITE_ERROR' }),
        ),
        503,
      ],
    ];
    for (const [error, status] of failures) {
      spans.findTrace = () => Promise.reject(error);
      const path = routePath(API.traces.get, { id: newTraceId() });
      expect(await send(tenant.get(`${path}?${newSpanId()}=${CANARY}`))).toBe(400);
      expect(await send(tenant.get(path))).toBe(status);
    }

    expect((await logged(requests)).length).toBe(requests);
    const errors = parsed().filter(({ level }) => level === 'error');
    expect(errors).toEqual([
      expect.objectContaining({
        error: 'TypeError',
        stack: expect.stringMatching(/^\s+at .*request-log\.spec\.ts/),
      }),
      expect.objectContaining({ error: 'Error', cause: 'Error', status: 500 }),
      expect.objectContaining({
        error: 'StorageError',
        code: 'COLLECTOR_STORAGE_FAILED',
        cause: 'SQLITE_ERROR',
        status: 503,
        message: expect.stringContaining('near "…": syntax error'),
      }),
    ]);
    for (const line of lines) {
      expect(Object.keys(JSON.parse(line) as object).filter((field) => !FIELDS.has(field))).toEqual([]);
      expect(FORMS.filter((form) => line.includes(form))).toEqual([]);
      expect(line).not.toContain(key.api_key);
      expect(line).not.toContain(tenant.apiKey);
    }
    await service.close();
  });

  it('is readable text by default, with warnings and errors only', () => {
    const logger = createLogger({});
    logger.info('nothing');
    logger.warn('look', { request_id: 'r1', code: undefined });
    logger.error('broken', { status: 500, stack: '    at here' });
    expect(lines).toEqual([
      'dacapo: look (request_id=r1)\n',
      'dacapo: error: broken (status=500)\n    at here\n',
    ]);
  });

  it('contains the warnings of Nest without quoted values', () => {
    const nest = new NestLogger(createLogger(JSON_LOG));
    nest.log();
    nest.warn('deprecated');
    nest.error(new RangeError(CANARY), 'Scheduler');
    nest.error(new Error('thrown to who starts it'), 'ExceptionHandler');
    nest.error('Error: listen EADDRINUSE', undefined, 'NestApplication');
    expect(parsed()).toEqual([
      expect.objectContaining({ level: 'warn', message: 'deprecated' }),
      expect.objectContaining({ level: 'error', message: 'RangeError', error: 'RangeError' }),
    ]);
  });
});
