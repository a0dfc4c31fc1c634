import { ROUTES, routePath } from '@dacapo/protocol';
import request from 'supertest';
import { type Belongings, furnish } from './support/routes.js';
import { type Route, Service, type Tenant } from './support/service.js';

let service: Service;

beforeAll(async () => {
  service = await Service.start();
});

afterAll(() => service.close());

const send = ({ method, path }: Route, headers: Record<string, string> = {}, body?: object) => {
  const ids = { id: 'x', span_id: 'x', index_id: 'x', item_no: '0', name: 'x', version: '1' };
  const concrete = routePath(path, ids);
  const call = request(service.url)[method.toLowerCase() as 'get' | 'post' | 'delete'](concrete).set(headers);
  return method === 'POST' ? call.send(body ?? {}) : call;
};

describe('every route of the server', () => {
  const PUBLIC = [
    'GET /*',
    'GET /',
    'GET /health/live',
    'GET /health/ready',
    'GET /sign-in',
    'POST /api/v1/browser-session',
  ];

  it('is one of the protocol, or a public one', () => {
    const known = new Set<string>(Object.values(ROUTES));
    const strangers = service.routes.filter(({ path }) => !known.has(path));
    expect(strangers.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /',
      'GET /*',
      'GET /sign-in',
    ]);
    expect(new Set(service.routes.map(({ path }) => path)).size).toBe(known.size + 3);
  });

  it('is denied without credentials unless it is public', async () => {
    await service.addTenant();
    const guarded = service.routes.filter(({ method, path }) => !PUBLIC.includes(`${method} ${path}`));
    expect(guarded.length).toBeGreaterThan(25);
    for (const route of guarded) {
      const { body, status } = await send(route);
      expect({ route, body, status }).toEqual({
        route,
        body: { detail: 'API key missing', status_code: 401 },
        status: 401,
      });
    }
  });

  it.each([
    [{ 'api-key': 'dcp_wrong' }, 'Invalid API key'],
    [{ cookie: 'dacapo_session=forged' }, 'API key missing'],
  ])('is denied with %j', async (headers, detail) => {
    for (const route of service.routes.filter(({ method, path }) => !PUBLIC.includes(`${method} ${path}`))) {
      expect((await send(route, headers)).body).toEqual({ detail, status_code: 401 });
    }
  });
});

describe('a tenant', () => {
  let owner: Tenant;
  let stranger: Tenant;
  let owned: Belongings;

  beforeAll(async () => {
    owner = await service.addTenant();
    stranger = await service.addTenant();
    owned = await furnish(owner);
  });

  const item = () => ({ item_no: 1, source_trace_id: owned.trace, source_span_id: owned.span });
  const calls = (): [string, string, string, object?][] => [
    ['trace', 'get', routePath(ROUTES.trace, { id: owned.trace })],
    ['span', 'get', routePath(ROUTES.span, { id: owned.trace, span_id: owned.span })],
    ['calls', 'get', routePath(ROUTES.descendants, { id: owned.trace, span_id: owned.span })],
    ['test run', 'get', routePath(ROUTES.testRun, { id: owned.run })],
    ['items', 'get', routePath(ROUTES.testRunItems, { id: owned.run })],
    ['items', 'post', routePath(ROUTES.testRunItems, { id: owned.run }), { items: [item()] }],
    ['item', 'get', routePath(ROUTES.testRunItem, { id: owned.run, item_no: '0' })],
    ['accept', 'post', routePath(ROUTES.acceptTestRunItem, { id: owned.run, item_no: '0' }), {}],
    ['accept', 'delete', routePath(ROUTES.acceptTestRunItem, { id: owned.run, item_no: '0' })],
    ['calls', 'get', routePath(ROUTES.testRunCalls, { id: owned.run })],
    ['heartbeat', 'post', routePath(ROUTES.testRunHeartbeat, { id: owned.run }), {}],
    ['resume', 'post', routePath(ROUTES.resumeTestRun, { id: owned.run }), {}],
    ['finish', 'post', routePath(ROUTES.finishTestRun, { id: owned.run }), {}],
    ['documents', 'post', routePath(ROUTES.indexDocuments, { index_id: owned.index }), { documents: [] }],
    ['documents', 'get', routePath(ROUTES.indexDocuments, { index_id: owned.index })],
    ['documents', 'post', routePath(ROUTES.deleteDocuments, { index_id: owned.index }), { sources: [] }],
    ['get-context', 'post', ROUTES.getContext, { index_id: owned.index, query: 'x' }],
    ['index', 'delete', routePath(ROUTES.index, { index_id: owned.index })],
    ['function', 'get', routePath(ROUTES.functionVersions, { name: owned.fn })],
    ['function', 'get', routePath(ROUTES.functionVersion, { name: owned.fn, version: '1' })],
    ['function', 'post', routePath(ROUTES.activateFunction, { name: owned.fn }), { version: 1 }],
    ['dataset', 'get', routePath(ROUTES.dataset, { name: owned.dataset })],
    ['dataset', 'post', routePath(ROUTES.datasetVersions, { name: owned.dataset }), {}],
    ['dataset', 'get', routePath(ROUTES.datasetItems, { name: owned.dataset, version: '1' })],
    ['dataset', 'delete', routePath(ROUTES.dataset, { name: owned.dataset })],
    ['API key', 'delete', routePath(ROUTES.apiKey, { id: owned.apiKey })],
  ];

  it('gets 404 for every id of another tenant, as if it did not exist', async () => {
    for (const [what, method, path, body] of calls()) {
      const answer = await stranger[method as 'get' | 'post' | 'delete'](path, body);
      expect({ what, method, status: answer.status }).toEqual({ what, method, status: 404 });
    }
  });

  it('has a call above for every route that takes an id', () => {
    // Pushing a version of a name makes a function of the caller's own.
    const exempt = `post ${ROUTES.functionVersions}`;
    const patterns = service.routes
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`)
      .filter((route) => route.includes(':') && route !== exempt);
    const made = calls().map(([, method, path]) => `${method} ${path}`);
    for (const route of patterns) {
      const shape = new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`);
      expect({ route, calls: made.filter((call) => shape.test(call)).length }).toEqual({ route, calls: 1 });
    }
  });

  it('sees nothing of another in any list', async () => {
    for (const path of [
      ROUTES.traces,
      ROUTES.traceFunctionKeys,
      ROUTES.sessions,
      ROUTES.testRuns,
      ROUTES.indexes,
      ROUTES.functions,
      ROUTES.datasets,
      ROUTES.scores,
      `${ROUTES.scores}?trace_id=${owned.trace}`,
    ]) {
      expect((await stranger.get(path).expect(200)).body.items).toEqual([]);
    }
    expect((await stranger.get(ROUTES.listIndexes)).body.data.indexes).toEqual([]);
    expect((await stranger.get(ROUTES.apiKeys)).body.items).toHaveLength(1);
    const search = { trace_function_key: 'answer', trace_ids: [owned.trace] };
    expect((await stranger.post(ROUTES.searchCalls, search)).body.items).toEqual([]);
    expect((await stranger.get(`${ROUTES.traces}?trace_function_key=answer`)).body.items).toEqual([]);
  });

  it('cannot replay a call of another into a run of its own', async () => {
    const { body: run } = await stranger.post(ROUTES.testRuns, { trace_function_key: 'answer' });
    const { body } = await stranger
      .post(routePath(ROUTES.testRunItems, { id: run.id }), { items: [item()] })
      .expect(200);
    expect(body).toMatchObject({ accepted: 0, rejected: [{ item_no: 1 }] });
  });

  it('cannot take a run or a dataset of another for its own', async () => {
    const create = (rest: object) =>
      stranger.post(ROUTES.testRuns, { trace_function_key: 'answer', ...rest }).expect(404);
    await create({ dataset: { name: owned.dataset } });
    await create({ baseline: { test_run_id: owned.run } });
    await stranger.post(ROUTES.datasets, { name: 'mine' }).expect(201);
    const add = (body: object) => stranger.post(routePath(ROUTES.datasetVersions, { name: 'mine' }), body);
    await add({ from_test_run: { id: owned.run } }).expect(404);
    const from_calls = { trace_function_key: 'answer', selection: { trace_ids: [owned.trace] } };
    expect((await add({ from_calls }).expect(200)).body).toMatchObject({ added: 0, item_count: 0 });
  });

  it('leaves what another owns untouched by all that', async () => {
    await owner.get(routePath(ROUTES.trace, { id: owned.trace })).expect(200);
    const { body: run } = await owner.get(routePath(ROUTES.testRun, { id: owned.run })).expect(200);
    expect(run).toMatchObject({ status: 'running', totals: { items: 1 } });
    expect((await owner.get(ROUTES.indexes)).body.items).toHaveLength(1);
  });

  it('takes only its own things along when its account is deleted', async () => {
    const leaver = await service.addTenant();
    await furnish(leaver);
    await leaver.delete(ROUTES.account).expect(204);
    await leaver.get(ROUTES.traces).expect(404);
    await owner.get(routePath(ROUTES.span, { id: owned.trace, span_id: owned.span })).expect(200);
  });
});

describe('API keys', () => {
  it('are shown whole once, then by their first and last characters', async () => {
    const tenant = await service.addTenant();
    const { body: created } = await tenant.post(ROUTES.apiKeys, { name: 'ci' }).expect(201);
    expect(created.api_key).toMatch(/^dcp_[0-9A-Za-z]{34}$/);
    const { body, text } = await tenant.get(ROUTES.apiKeys).expect(200);
    expect(body.items[1]).toEqual({
      id: created.id,
      name: 'ci',
      hint: `${created.api_key.slice(0, 7)}…${created.api_key.slice(-4)}`,
      created_at: created.created_at,
    });
    expect(text).not.toContain(created.api_key);
  });

  it('show when they were last used', async () => {
    const tenant = await service.addTenant();
    const lastUse = async (): Promise<string | undefined> =>
      (await tenant.get(ROUTES.apiKeys).expect(200)).body.items[0].last_used_at;
    // No request waits for the note of its own use.
    let noted = await lastUse();
    while (noted === undefined) noted = await lastUse();
    expect(noted).toMatch(/^\d{4}-/);
  });

  it('have a name', async () => {
    const tenant = await service.addTenant();
    const { body } = await tenant.post(ROUTES.apiKeys, { name: '' }).expect(400);
    expect(body).toEqual({ detail: 'name must not be blank', status_code: 400 });
  });
});

describe('the account', () => {
  it('is the one of the key', async () => {
    const tenant = await service.addTenant();
    const { body } = await tenant.get(ROUTES.account).expect(200);
    expect(body).toEqual({ id: tenant.accountId, name: 'a tenant', created_at: expect.any(String) });
  });
});
