import { startCollector } from '@dacapo/collector';
import {
  type AuditEntry,
  type CreatedShareLink,
  newSpanId,
  newTraceId,
  type SpanRecord,
} from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { ManualClock } from './support/manual-clock.js';
import { ndjson, score, span } from './support/records.js';
import { createTenant, Service, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const { shared, shareLinks } = API;

const SECRET_TEXT = 'ann@example.com wants a refund';
const REFUSED = { detail: 'This link does not show this, has expired or was revoked', status_code: 404 };

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;
let own: SpanRecord;
let image: string;
const otherTrace = newTraceId();

beforeAll(async () => {
  service = await Service.start({ clock });
});

beforeEach(async () => {
  tenant = await service.addTenant();
  const bytes = randomBytes(20);
  image = createHash('sha256').update(bytes).digest('hex');
  own = span({
    name: 'answer',
    session_id: 'session-of-ann',
    user_id: 'user-ann',
    tags: ['tag-of-ann'],
    trace_metadata: { customer: SECRET_TEXT },
    span_data: {
      input: [SECRET_TEXT],
      output: SECRET_TEXT,
      error: { name: 'Error', message: SECRET_TEXT },
      meta: {
        sync: true,
        started_by: { trace_id: otherTrace, span_id: newSpanId() },
        links: [{ trace_id: otherTrace, span_id: newSpanId() }],
        note: otherTrace,
      },
    },
  });
  const media = { id: image, trace_id: own.trace_id, type: 'image/png', size: bytes.length };
  const line = JSON.stringify({ media: { ...media, data: bytes.toString('base64') } });
  await tenant.ingest(`${line}\n${ndjson([{ span: own }])}`).expect(200);
  await tenant
    .post(API.scores.add.path, {
      scores: [score({ trace_id: own.trace_id, author: { kind: 'person', name: 'Judge Judy' } })],
    })
    .expect(200);
});

afterAll(() => service.close());

const share = async (body: object): Promise<CreatedShareLink & { secret: string }> => {
  const answer = await tenant.post(shareLinks.create.path, body).expect(201);
  const link = answer.body as CreatedShareLink;
  return { ...link, secret: new URL(link.link).pathname.replace('/shared/', '') };
};
const shareTrace = (more: object = {}) => share({ trace_id: own.trace_id, payloads: true, ...more });

const open = (secret: string) => service.anonymous.get(routePath(shared.get, { secret }));
const traceOf = (secret: string, id = own.trace_id) =>
  service.anonymous.get(routePath(shared.getTrace, { secret, id }));
const spanOf = (secret: string, id = own.trace_id, span_id = own.id) =>
  service.anonymous.get(routePath(shared.getSpan, { secret, id, span_id }));
const mediaOf = (secret: string, id = image) =>
  service.anonymous.get(routePath(shared.getMedia, { secret, id }));

const remove = async (body: object): Promise<void> => {
  await tenant.post(API.deletions.create.path, body).expect(201);
  await service.app.get(DeletionRunner).idle();
};
const list = async () => (await tenant.get(shareLinks.list.path).expect(200)).body.items;
const entries = async (): Promise<AuditEntry[]> => (await tenant.get(API.audit.list.path)).body.items;

/** Starts and finishes a run with an item that replayed the trace. */
const addRun = async (): Promise<string> => {
  const { body: run } = await tenant
    .post(API.testRuns.create.path, { trace_function_key: 'answer', name: 'Shorter prompt' })
    .expect(201);
  const source = { source_trace_id: own.trace_id, source_span_id: own.id };
  const items = [
    { item_no: 0, ...source, session_id: 'session-of-ann', result: SECRET_TEXT, verdict: 'changed' },
  ];
  await tenant.post(routePath(API.testRuns.report, { id: run.id }), { items }).expect(200);
  await tenant
    .post(routePath(API.testRuns.finish, { id: run.id }), { summary: { said: SECRET_TEXT } })
    .expect(200);
  return run.id;
};

describe('a share link', () => {
  it('shows its trace with payloads and media to anyone, without signing in', async () => {
    const { secret, expires_at } = await shareTrace();
    await open(secret).expect(200, { trace_id: own.trace_id, payloads: true, expires_at });
    const { body: trace } = await traceOf(secret).expect(200);
    expect(trace).toMatchObject({ id: own.trace_id, metadata: { customer: SECRET_TEXT } });
    expect(trace.spans).toEqual([expect.objectContaining({ id: own.id, name: 'answer' })]);
    const { body: detail } = await spanOf(secret).expect(200);
    expect(detail.span_data).toMatchObject({ input: [SECRET_TEXT], output: SECRET_TEXT });
    await mediaOf(secret).expect('content-type', 'image/png').expect(200);
  });

  it('shows no recorded value without payloads', async () => {
    const { secret } = await share({ trace_id: own.trace_id });
    const { body: link } = await open(secret).expect(200);
    expect(link.payloads).toBe(false);
    const { text } = await traceOf(secret).expect(200);
    expect(text).toContain('answer');
    expect(text).not.toMatch(/ann/);
    await spanOf(secret).expect(404, REFUSED);
    await mediaOf(secret).expect(404, REFUSED);
  });

  it('shows no score, author, session, user, or link to another trace', async () => {
    const { secret } = await shareTrace();
    const texts = [(await traceOf(secret).expect(200)).text, (await spanOf(secret).expect(200)).text];
    for (const text of texts) {
      expect(text).not.toMatch(/Judge Judy|session-of-ann|user-ann|"scores"|"links"/);
      for (const id of [tenant.accountId, otherTrace]) expect(text).not.toContain(id);
    }
    expect(JSON.parse(texts[1] ?? '').span_data.meta).toEqual({ sync: true });
  });

  it('shows its run and the items of it, without ids of traces', async () => {
    const id = await addRun();
    const { secret } = await share({ test_run_id: id, payloads: true });
    await open(secret).expect(200);
    const get = (path: string) => service.anonymous.get(path).expect(200);
    const run = await get(routePath(shared.getRun, { secret, id }));
    expect(run.body).toMatchObject({ id, name: 'Shorter prompt', totals: { changed: 1 } });
    const items = await get(routePath(shared.listItems, { secret, id }));
    expect(items.body.items).toEqual([expect.objectContaining({ item_no: 0, verdict: 'changed' })]);
    const item = await get(routePath(shared.getItem, { secret, id, item_no: '0' }));
    expect(item.body).toMatchObject({ input: [SECRET_TEXT], result: SECRET_TEXT });
    for (const { text } of [run, items, item])
      expect(text).not.toMatch(new RegExp(`${own.trace_id}|session-of-ann|${tenant.accountId}`));
    // The payloads of the traces of a run are not of the run.
    await spanOf(secret).expect(404, REFUSED);
    await traceOf(secret).expect(404, REFUSED);
    await mediaOf(secret).expect(404, REFUSED);
  });

  it('shows figures and verdicts of a run without payloads', async () => {
    const id = await addRun();
    const { secret } = await share({ test_run_id: id });
    const run = await service.anonymous.get(routePath(shared.getRun, { secret, id })).expect(200);
    const items = await service.anonymous.get(routePath(shared.listItems, { secret, id })).expect(200);
    expect(run.text + items.text).not.toContain(SECRET_TEXT);
    await service.anonymous.get(routePath(shared.getItem, { secret, id, item_no: '0' })).expect(404, REFUSED);
  });

  it('needs a trace or a run of the account, and not both', async () => {
    const other = await service.addTenant();
    const post = (body: object) => tenant.post(shareLinks.create.path, body);
    await other.post(shareLinks.create.path, { trace_id: own.trace_id }).expect(404);
    await post({ trace_id: newTraceId() }).expect(404);
    await post({ test_run_id: newTraceId() }).expect(404);
    await post({}).expect(400);
    await post({ trace_id: own.trace_id, test_run_id: newTraceId() }).expect(400);
    await post({ trace_id: own.trace_id, expires_in_s: 90 * 24 * 3600 + 1 }).expect(400);
    expect(await list()).toEqual([]);
  });

  it('is made, listed and revoked by developers, admins and keys that manage', async () => {
    const members = await Promise.all(
      (['viewer', 'developer', 'admin'] as const).map((role) => service.addMember(tenant, role, role)),
    );
    const body = { trace_id: own.trace_id };
    const statuses = members.map(async ({ get, post }) => [
      (await post(shareLinks.create.path, body)).status,
      (await get(shareLinks.list.path)).status,
    ]);
    expect(await Promise.all(statuses)).toEqual([
      [403, 403],
      [201, 200],
      [201, 200],
    ]);
    const replayer = await service.withKey(tenant.accountId, 'ingest', 'read', 'replay');
    await replayer.post(shareLinks.create.path, body).expect(403);
    const links = await list();
    expect(links.map(({ created_by }: { created_by: string }) => created_by).sort()).toEqual([
      'admin',
      'developer',
    ]);
    expect(JSON.stringify(links)).not.toMatch(/secret|link":/);
  });
});

describe('a share link ends', () => {
  it('after seven days, or the time that its maker chose', async () => {
    const [usual, short] = [await shareTrace(), await shareTrace({ expires_in_s: 60 })];
    clock.advance(59);
    await open(short.secret).expect(200);
    clock.advance(1);
    await open(short.secret).expect(404, REFUSED);
    await traceOf(short.secret).expect(404, REFUSED);
    expect(await list()).toHaveLength(1);
    clock.advanceDays(7);
    await open(usual.secret).expect(404, REFUSED);
    expect(await list()).toEqual([]);
  });

  it('when it is revoked: the same requests are refused from then on', async () => {
    const { id, secret } = await shareTrace();
    await spanOf(secret).expect(200);
    const other = await service.addTenant();
    await other.delete(routePath(shareLinks.revoke, { id })).expect(404);
    await tenant.delete(routePath(shareLinks.revoke, { id })).expect(204);
    for (const again of [open, traceOf, spanOf, mediaOf]) await again(secret).expect(404, REFUSED);
    await tenant.delete(routePath(shareLinks.revoke, { id })).expect(404);
  });

  it('with its trace, however it is deleted', async () => {
    for (const scope of [{ trace_ids: [own.trace_id] }, { session_id: 'session-of-ann' }]) {
      await tenant.store({ ...own, trace_id: newTraceId() }, own);
      const traces = (await tenant.get(API.traces.list.path)).body.items;
      const links = await Promise.all(
        traces.map(({ id }: { id: string }) => share({ trace_id: id, payloads: true })),
      );
      await remove(scope);
      const left = (await tenant.get(API.traces.list.path)).body.items.map(({ id }: { id: string }) => id);
      for (const { secret, trace_id } of links)
        await open(secret).expect(left.includes(trace_id) ? 200 : 404);
      expect(await list()).toHaveLength(left.length);
      if ('session_id' in scope) expect(left).toEqual([]);
      else own = { ...own, trace_id: left[0] };
    }
  });

  it('with its trace for good: no late record shows anything through it', async () => {
    const { secret } = await shareTrace();
    await remove({ trace_ids: [own.trace_id] });
    await tenant.ingest(ndjson([{ span: own }])).expect(200);
    await traceOf(secret).expect(404, REFUSED);
    await tenant.post(shareLinks.create.path, { trace_id: own.trace_id }).expect(404);
  });

  it('with the retention of its run', async () => {
    const id = await addRun();
    const { secret } = await share({ test_run_id: id, payloads: true });
    await open(secret).expect(200);
    await remove({ before: '2027-01-01T00:00:00.000000Z' });
    await open(secret).expect(404, REFUSED);
    expect(await list()).toEqual([]);
  });

  it('with its account at once', async () => {
    const { secret } = await shareTrace();
    await tenant.delete(API.accounts.delete.path).expect(204);
    for (const again of [open, traceOf, spanOf, mediaOf]) await again(secret).expect(404, REFUSED);
  });

  it('shows nothing of an item whose trace was erased', async () => {
    const id = await addRun();
    const { secret } = await share({ test_run_id: id, payloads: true });
    await remove({ trace_ids: [own.trace_id] });
    const item = await service.anonymous
      .get(routePath(shared.getItem, { secret, id, item_no: '0' }))
      .expect(200);
    expect(item.text).not.toContain(SECRET_TEXT);
    expect(item.body).toMatchObject({ erased: true });
  });
});

describe('the holder of a share link', () => {
  it('reads nothing else of the account', async () => {
    const other = span({ span_data: { output: 'another trace' } });
    const bytes = randomBytes(20);
    const otherImage = createHash('sha256').update(bytes).digest('hex');
    const media = { id: otherImage, trace_id: other.trace_id, type: 'image/png', size: bytes.length };
    const line = JSON.stringify({ media: { ...media, data: bytes.toString('base64') } });
    await tenant.ingest(`${line}\n${ndjson([{ span: other }])}`).expect(200);
    const run = await addRun();
    const { secret } = await shareTrace();
    await traceOf(secret, other.trace_id).expect(404, REFUSED);
    await spanOf(secret, other.trace_id, other.id).expect(404, REFUSED);
    await spanOf(secret, own.trace_id, other.id).expect(404, REFUSED);
    await mediaOf(secret, otherImage).expect(404, REFUSED);
    for (const path of [
      routePath(shared.getRun, { secret, id: run }),
      routePath(shared.listItems, { secret, id: run }),
      routePath(shared.getItem, { secret, id: run, item_no: '0' }),
    ])
      await service.anonymous.get(path).expect(404, REFUSED);
  });

  it('cannot use the secret as a key, a session or a sign-in', async () => {
    const { secret } = await shareTrace();
    const port = new URL(service.url).port;
    for (const headers of [
      { 'api-key': secret },
      { authorization: `Bearer ${secret}` },
      { cookie: `dacapo_session_${port}=${secret}` },
    ])
      await service.anonymous.get(API.traces.list.path).set(headers).expect(401);
    await service.anonymous.post(API.members.join.path).send({ token: secret }).expect(401);
  });

  it.each(['', 'x', 'a'.repeat(43), '%00', '..%2f..%2fapi-keys', "' OR 1=1 --"])(
    'gets the same refusal for the guess %j',
    async (guess) => {
      await shareTrace();
      const path = `/api/v1/shared/${guess.includes('%') ? guess : encodeURIComponent(guess)}`;
      const { status, body } = await service.anonymous.get(path);
      expect(status).toBe(404);
      if (guess !== '') expect(body).toEqual(REFUSED);
    },
  );

  it('gets no answer that a cache may store, a search engine may index, or a referrer names', async () => {
    const { secret } = await shareTrace();
    const answers = await Promise.all([
      open(secret),
      traceOf(secret),
      spanOf(secret),
      mediaOf(secret),
      open('unknown'),
      service.anonymous.get(`/shared/${secret}`),
    ]);
    for (const { headers } of answers) {
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['x-robots-tag']).toMatch(/noindex/);
    }
    for (const { headers } of answers.slice(0, 5)) expect(headers['cache-control']).toBe('no-store');
    for (const { headers } of answers.slice(0, 4)) expect(headers.etag).toBeUndefined();
  });

  it('may only GET: other methods and ranges show nothing more', async () => {
    const { id, secret } = await shareTrace();
    await mediaOf(secret).set('range', 'bytes=0-3').expect(200);
    await service.anonymous.post(routePath(shared.get, { secret })).expect(404);
    await service.anonymous.delete(routePath(shareLinks.revoke, { id })).expect(401);
    const head = await new Promise<number | undefined>((resolve, reject) => {
      httpRequest(
        service.url + routePath(shared.getMedia, { secret, id: image }),
        { method: 'HEAD' },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(head).toBe(404);
  });

  it('may send so many requests, and whoever guesses holds up no link', async () => {
    const { secret } = await shareTrace();
    const guesses = await Promise.all(Array.from({ length: 140 }, (_, at) => open(`guess${at}`)));
    expect(guesses.map(({ status }) => status)).toContain(429);
    await open(secret).expect(200);
    const requests = await Promise.all(Array.from({ length: 260 }, () => open(secret)));
    expect(requests.map(({ status }) => status)).toContain(429);
    const other = await shareTrace();
    await open(other.secret).expect(200);
    clock.advance(60);
  });
});

describe('the audit log', () => {
  it('notes who made and revoked a link, and at most once an hour that it was opened', async () => {
    const ann = await service.addMember(tenant, 'Ann', 'admin');
    const { body: link } = await ann.post(shareLinks.create.path, { trace_id: own.trace_id }).expect(201);
    const secret = new URL(link.link).pathname.replace('/shared/', '');
    await Promise.all([open(secret), open(secret), traceOf(secret)]);
    clock.advance(3599);
    await open(secret).expect(200);
    clock.advance(2);
    await open(secret).expect(200);
    await ann.delete(routePath(shareLinks.revoke, { id: link.id })).expect(204);
    await open(secret).expect(404);
    const noted = (await entries()).filter(({ action }) => action.startsWith('share_link.'));
    expect(noted.map(({ action, object, member }) => [action, object, member?.name])).toEqual([
      ['share_link.revoke', link.id, 'Ann'],
      ['share_link.open', link.id, undefined],
      ['share_link.open', link.id, undefined],
      ['share_link.create', link.id, 'Ann'],
    ]);
    expect(JSON.stringify(await entries())).not.toContain(secret);
  });
});

describe('the secret of a share link', () => {
  it('is in no line of the log and no metric, whatever the answer is', async () => {
    const lines: unknown[] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const logger = { info: write, warn: write, error: write };
    const collector = await startCollector({
      port: 0,
      dataDir: temporaryDirectory(),
      logger,
      metrics: { port: 0 },
    });
    const { get, post, store } = createTenant(collector.url, '', collector.apiKey ?? '');
    const shown = span();
    await store(shown);
    const body = { trace_id: shown.trace_id, payloads: true };
    const { body: link } = await post(shareLinks.create.path, body).expect(201);
    const secret = new URL(link.link).pathname.replace('/shared/', '');
    const id = shown.trace_id;
    for (const path of [
      routePath(shared.get, { secret }),
      routePath(shared.getSpan, { secret, id, span_id: 'none' }),
      `${routePath(shared.getTrace, { secret, id })}?unknown=1`,
      `${routePath(shared.get, { secret })}/elsewhere`,
      `/shared/${secret}`,
    ])
      await get(path);
    for (let turn = 0; lines.length < 7 && turn < 1000; turn++) await setImmediate();
    const metrics = await (await fetch(collector.metricsUrl ?? '')).text();
    await collector.close();
    expect(lines.length).toBeGreaterThan(5);
    expect(metrics).toContain('sharing');
    expect(JSON.stringify(lines) + metrics).not.toContain(secret);
  });

  it('is stored as its hash alone', async () => {
    const { secret } = await shareTrace();
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(JSON.stringify(await list())).not.toContain(secret);
  });
});
