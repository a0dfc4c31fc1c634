import { API, routePath } from '@dacapo/protocol/api';
import { type Belongings, type Call, callsWith, furnish, makeUnknownIds } from './support/routes.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;

beforeAll(async () => {
  service = await Service.start();
});

afterAll(() => service.close());

describe('a tenant', () => {
  let owner: Tenant;
  let stranger: Tenant;
  let owned: Belongings;

  beforeAll(async () => {
    owner = await service.addTenant();
    stranger = await service.addTenant();
    owned = await furnish(service, owner);
  });

  /** What a call is answered with, but for the ids that the caller gave himself. */
  const answerTo = async ({ method, path, body: sent }: Call, ids: Belongings): Promise<object> => {
    const { status, text } = await stranger[method](path, sent);
    const anonymous = Object.values(ids).reduce((all, id: string) => all.replaceAll(id, '<id>'), text);
    return { status, anonymous };
  };

  it('answers for an id of another tenant as for an unknown id', async () => {
    const nothing = makeUnknownIds();
    const ofNothing = callsWith(nothing);
    for (const [at, call] of callsWith(owned).entries()) {
      const expected = await answerTo(ofNothing[at]!, nothing);
      expect(expected).toMatchObject({ status: 404 });
      expect({ call, answer: await answerTo(call, owned) }).toEqual({ call, answer: expected });
    }
  });

  it('has a call above for every route with an id', () => {
    // Pushing a version of a name makes a function of the caller's own, and a tool's use is noted for the caller alone.
    const exempt = [`post ${API.functions.listVersions.path}`, `post ${API.audit.useTool.path}`];
    const patterns = service.routes
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`)
      // Holders of share links have no account: share-links.spec.ts.
      .filter((route) => route.includes(':') && !exempt.includes(route) && !route.includes('/shared/'));
    // Its path looks like that of one run.
    const several = `get ${API.testRuns.compareAll.path}`;
    const made = callsWith(owned)
      .map(({ method, path }) => `${method} ${path.split('?', 1)[0] ?? ''}`)
      .filter((call) => call !== several);
    for (const route of patterns) {
      const shape = new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`);
      expect({ route, calls: made.filter((call) => shape.test(call)).length }).toEqual({ route, calls: 1 });
    }
  });

  it('sees nothing of another in any list', async () => {
    for (const path of [
      API.traces.list.path,
      API.traces.listKeys.path,
      API.traces.listSessions.path,
      API.testRuns.create.path,
      API.indexes.list.path,
      API.functions.list.path,
      API.datasets.create.path,
      API.scores.add.path,
      `${API.scores.add.path}?trace_id=${owned.trace}`,
    ]) {
      expect((await stranger.get(path).expect(200)).body.items).toEqual([]);
    }
    expect((await stranger.get(API.developer.listIndexes.path)).body.data.indexes).toEqual([]);
    expect((await stranger.get(API.apiKeys.list.path)).body.items).toHaveLength(1);
    const search = { trace_function_key: 'answer', trace_ids: [owned.trace] };
    expect((await stranger.post(API.calls.search.path, search)).body.items).toEqual([]);
    expect((await stranger.get(`${API.traces.list.path}?trace_function_key=answer`)).body.items).toEqual([]);
  });

  it('cannot replay a call of another into a run of its own', async () => {
    const item = { item_no: 1, source_trace_id: owned.trace, source_span_id: owned.span };
    const { body: run } = await stranger.post(API.testRuns.create.path, { trace_function_key: 'answer' });
    const { body } = await stranger
      .post(routePath(API.testRuns.report, { id: run.id }), { items: [item] })
      .expect(200);
    expect(body).toMatchObject({ accepted: 0, rejected: [{ item_no: 1 }] });
  });

  it('cannot copy items of another tenant into its own dataset', async () => {
    await stranger.post(API.datasets.create.path, { name: 'mine' }).expect(201);
    const add = (body: object) => stranger.post(routePath(API.datasets.addVersion, { name: 'mine' }), body);
    await add({ from_test_run: { id: owned.run } }).expect(404);
    const from_calls = { trace_function_key: 'answer', selection: { trace_ids: [owned.trace] } };
    expect((await add({ from_calls }).expect(200)).body).toMatchObject({ added: 0, item_count: 0 });
  });

  it('leaves the data of the other tenant unchanged after all of these', async () => {
    await owner.get(routePath(API.traces.get, { id: owned.trace })).expect(200);
    const { body: run } = await owner.get(routePath(API.testRuns.get, { id: owned.run })).expect(200);
    expect(run).toMatchObject({ status: 'running', totals: { items: 1 } });
    expect((await owner.get(API.indexes.list.path)).body.items).toHaveLength(1);
  });

  it('deletes only its own data with its account', async () => {
    const leaver = await service.addTenant();
    await furnish(service, leaver);
    await leaver.delete(API.accounts.delete.path).expect(204);
    await leaver.get(API.traces.list.path).expect(404);
    await owner.get(routePath(API.traces.getSpan, { id: owned.trace, span_id: owned.span })).expect(200);
  });
});

describe('the account', () => {
  it('is the one of the key', async () => {
    const tenant = await service.addTenant();
    const { body } = await tenant.get(API.accounts.get.path).expect(200);
    expect(body).toEqual({
      id: tenant.accountId,
      name: 'a tenant',
      created_at: expect.any(String),
      scopes: ['ingest', 'read', 'replay', 'manage'],
    });
  });
});
