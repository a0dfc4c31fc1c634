import { formatTimestamp, type Role, ROLES, type Scope, SCOPES } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { Controller, Get, Module } from '@nestjs/common';
import request from 'supertest';
import { newApiKey } from '../src/accounts/api-key.js';
import { ManualClock } from './support/manual-clock.js';
import { type Route, Service, type Tenant } from './support/service.js';

/** Who may call which route. A route of the server that is not here fails these tests. */
const ROUTES_OF: Record<Scope | 'key' | 'nothing', string[]> = {
  nothing: [
    'GET /*',
    'GET /',
    'GET /sign-in',
    `GET ${API.service.live.path}`,
    `GET ${API.service.ready.path}`,
    `GET ${API.service.openApi.path}`,
    // It has a token of its own.
    `POST ${API.accounts.create.path}`,
    'GET /api/docs',
    'GET /api/docs/style.css',
    `POST ${API.browserSessions.signIn.path}`,
    `POST ${API.members.join.path}`,
    // Their secrets are in their paths.
    ...Object.values(API.shared).map(({ path }) => `GET ${path}`),
  ],
  // SPEC 4.1: with a valid key, list-indexes answers.
  key: [
    `GET ${API.developer.listIndexes.path}`,
    `GET ${API.accounts.get.path}`,
    `GET ${API.browserSessions.get.path}`,
    `DELETE ${API.browserSessions.signOut.path}`,
  ],
  ingest: [
    `POST ${API.ingest.send.path}`,
    `POST ${API.otlp.send.path}`,
    'POST /v1/logs',
    'POST /v1/metrics',
    `POST ${API.scores.add.path}`,
  ],
  read: [
    `POST ${API.developer.getContext.path}`,
    `GET ${API.traces.list.path}`,
    `GET ${API.traces.get.path}`,
    `GET ${API.traces.export.path}`,
    `GET ${API.traces.watch.path}`,
    `GET ${API.traces.getSpan.path}`,
    `GET ${API.calls.listDescendants.path}`,
    `GET ${API.traces.listKeys.path}`,
    `GET ${API.traces.listFacets.path}`,
    `POST ${API.calls.search.path}`,
    `GET ${API.traces.listSessions.path}`,
    `GET ${API.media.get.path}`,
    `GET ${API.scores.list.path}`,
    `POST ${API.costs.compute.path}`,
    `POST ${API.audit.useTool.path}`,
    `GET ${API.metrics.read.path}`,
    `GET ${API.changes.find.path}`,
    `GET ${API.datasets.list.path}`,
    `GET ${API.datasets.get.path}`,
    `GET ${API.datasets.listItems.path}`,
    `GET ${API.testRuns.list.path}`,
    `GET ${API.testRuns.get.path}`,
    `GET ${API.testRuns.compareAll.path}`,
    `GET ${API.testRuns.compare.path}`,
    `GET ${API.decisions.list.path}`,
    `GET ${API.testRuns.listCalls.path}`,
    `GET ${API.testRuns.baselineScores.path}`,
    `GET ${API.testRuns.listItems.path}`,
    `GET ${API.testRuns.getItem.path}`,
    `GET ${API.functions.list.path}`,
    `GET ${API.functions.listVersions.path}`,
    `GET ${API.functions.get.path}`,
    `GET ${API.indexes.list.path}`,
    `GET ${API.indexes.documents.path}`,
    `GET ${API.indexes.remote.path}`,
  ],
  replay: [
    `POST ${API.datasets.create.path}`,
    `POST ${API.datasets.addVersion.path}`,
    `POST ${API.testRuns.create.path}`,
    `POST ${API.testRuns.report.path}`,
    `POST ${API.decisions.decide.path}`,
    `POST ${API.testRuns.accept.path}`,
    `DELETE ${API.testRuns.takeBack.path}`,
    `POST ${API.testRuns.beat.path}`,
    `POST ${API.testRuns.resume.path}`,
    `POST ${API.testRuns.finish.path}`,
  ],
  manage: [
    `DELETE ${API.datasets.delete.path}`,
    `POST ${API.functions.push.path}`,
    `POST ${API.functions.activate.path}`,
    `POST ${API.indexes.create.path}`,
    `DELETE ${API.indexes.delete.path}`,
    `POST ${API.indexes.addDocuments.path}`,
    `POST ${API.indexes.deleteDocuments.path}`,
    `POST ${API.indexes.setRemote.path}`,
    `GET ${API.apiKeys.list.path}`,
    `POST ${API.apiKeys.create.path}`,
    `DELETE ${API.apiKeys.revoke.path}`,
    `POST ${API.apiKeys.rotate.path}`,
    `GET ${API.browserSessions.list.path}`,
    `DELETE ${API.browserSessions.end.path}`,
    `DELETE ${API.browserSessions.endAll.path}`,
    `GET ${API.members.list.path}`,
    `POST ${API.members.invite.path}`,
    `POST ${API.members.changeRole.path}`,
    `POST ${API.members.createLink.path}`,
    `DELETE ${API.members.remove.path}`,
    `GET ${API.shareLinks.list.path}`,
    `POST ${API.shareLinks.create.path}`,
    `DELETE ${API.shareLinks.revoke.path}`,
    `GET ${API.audit.list.path}`,
    `POST ${API.deletions.create.path}`,
    `GET ${API.retention.get.path}`,
    `POST ${API.retention.set.path}`,
    `POST ${API.retention.preview.path}`,
    `POST ${API.deletions.preview.path}`,
    `GET ${API.deletions.list.path}`,
    `GET ${API.deletions.get.path}`,
    `DELETE ${API.accounts.delete.path}`,
  ],
};

/** What a key of one scope may call, beside what every key may. */
const REACH: Record<Scope, Scope[]> = {
  ingest: ['ingest'],
  read: ['read'],
  replay: ['ingest', 'read', 'replay'],
  manage: ['manage'],
};

/** What a member of one role may call, beside what everybody may who is signed in. */
const REACH_OF_ROLE: Record<Role, Scope[]> = {
  viewer: ['read'],
  developer: ['ingest', 'read', 'replay'],
  admin: ['ingest', 'read', 'replay', 'manage'],
};

/** What they may call with a scope that a key needs not have for it. */
const OF_MEMBERS: Partial<Record<Scope, string[]>> = {
  replay: [
    `POST ${API.functions.activate.path}`,
    `GET ${API.shareLinks.list.path}`,
    `POST ${API.shareLinks.create.path}`,
    `DELETE ${API.shareLinks.revoke.path}`,
  ],
};

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start({ clock });
  tenant = await service.addTenant();
});

afterAll(() => service.close());

const nameRoute = ({ method, path }: Route): string => `${method} ${path}`;
const guarded = (): Route[] =>
  service.routes.filter((route) => !ROUTES_OF.nothing.includes(nameRoute(route)));

const send = ({ method, path }: Route, headers: Record<string, string>) => {
  const names = { name: 'x', version: '1', tool: 'status', subject: 'x' };
  const ids = { id: 'x', span_id: 'x', index_id: 'x', item_no: '0', ...names };
  const concrete = routePath({ path }, ids);
  const call = request(service.url)[method.toLowerCase() as 'get' | 'post' | 'delete'](concrete).set(headers);
  if (path === API.traces.watch.path) void call.query({ seconds: 0 });
  return method === 'POST' ? call.send({}) : call;
};

/** What every route that needs a key answers to these headers. */
async function answersTo(headers: Record<string, string>): Promise<Set<string>> {
  const answers = new Set<string>();
  for (const route of guarded()) {
    const { status, body } = await send(route, headers);
    expect(body.status_code).toBe(status);
    answers.add(`${status} ${body.detail}`);
  }
  return answers;
}

describe('every route of the server', () => {
  it('is in the table of who may call it, and every entry there is a route', () => {
    expect(service.routes.map(nameRoute).sort()).toEqual(Object.values(ROUTES_OF).flat().sort());
  });

  it('is one of the protocol, or a page', () => {
    const known = Object.values(API).flatMap((routes) => Object.values<Route>(routes).map(nameRoute));
    const refused = ['POST /v1/logs', 'POST /v1/metrics'];
    const pages = ['GET /', 'GET /*', 'GET /sign-in', 'GET /api/docs', 'GET /api/docs/style.css'];
    expect(service.routes.map(nameRoute).sort()).toEqual([...known, ...pages, ...refused].sort());
  });
});

describe('without a valid key or session, every route that needs one', () => {
  it.each([
    ['nothing', () => ({})],
    ['a forged session', () => ({ cookie: `dacapo_session_${new URL(service.url).port}=forged` })],
    ['a blank key', () => ({ 'api-key': ' ' })],
  ])('says to %s that the key is missing', async (_, headers) => {
    expect([...(await answersTo(headers()))]).toEqual(['401 API key missing']);
  });

  it.each([
    ['no key', () => 'dcp_wrong'],
    ['a key that was never made', newApiKey],
  ])('refuses %s', async (_, key) => {
    expect([...(await answersTo({ 'api-key': key() }))]).toEqual(['401 Invalid API key']);
    expect([...(await answersTo({ authorization: `Bearer ${key()}` }))]).toEqual(['401 Invalid API key']);
  });

  it('refuses a revoked key, and the browser that it signed in', async () => {
    const { body: key } = await tenant
      .post(API.apiKeys.create.path, { name: 'x', scopes: SCOPES })
      .expect(201);
    const cookie = await service.signIn(key.api_key);
    await tenant.delete(routePath(API.apiKeys.revoke, { id: key.id })).expect(204);
    expect([...(await answersTo({ 'api-key': key.api_key }))]).toEqual(['401 Invalid API key']);
    expect([...(await answersTo({ cookie, origin: service.url }))]).toEqual(['401 API key missing']);
  });

  it('refuses a key that has expired, and the browser that it signed in', async () => {
    const expires_at = formatTimestamp(clock.nowUs() + 3600e6);
    const { body: key } = await tenant
      .post(API.apiKeys.create.path, { name: 'x', scopes: SCOPES, expires_at })
      .expect(201);
    const cookie = await service.signIn(key.api_key);
    await service.anonymous.get(API.accounts.get.path).set('api-key', key.api_key).expect(200);
    clock.advance(3600);
    expect([...(await answersTo({ 'api-key': key.api_key }))]).toEqual(['401 Invalid API key']);
    expect([...(await answersTo({ cookie, origin: service.url }))]).toEqual(['401 API key missing']);
  });

  it('rejects the browser of a removed member on every route', async () => {
    for (const role of ROLES) {
      const owner = await service.addTenant();
      await service.addMember(owner, 'Zoe', 'admin');
      const { id, headers } = await service.addMember(owner, 'Ann', role);
      await service.anonymous.get(API.accounts.get.path).set(headers).expect(200);
      await owner.delete(routePath(API.members.remove, { id })).expect(204);
      expect([...(await answersTo(headers))]).toEqual(['401 API key missing']);
    }
  });

  it('refuses a sign-in code and an unused link in the place of a key', async () => {
    const { code } = await service.addMember(tenant, 'Ann', 'admin');
    const { body: invited } = await tenant.post(API.members.invite.path, { name: 'Bob', role: 'admin' });
    for (const secret of [code, new URL(invited.link).hash.slice(1)]) {
      expect([...(await answersTo({ 'api-key': secret }))]).toEqual(['401 Invalid API key']);
      const cookie = `dacapo_session_${new URL(service.url).port}=${secret.replace(/\W|_/g, '')}`;
      expect([...(await answersTo({ cookie, origin: service.url }))]).toEqual(['401 API key missing']);
    }
  });

  it('refuses a session that has expired', async () => {
    const cookie = await service.signInByLink(tenant.accountId);
    clock.advanceDays(7);
    expect([...(await answersTo({ cookie, origin: service.url }))]).toEqual(['401 API key missing']);
  });

  it('rejects the key and the session of a deleted account', async () => {
    const leaver = await service.addTenant();
    const cookie = await service.signIn(leaver.apiKey);
    await leaver.delete(API.accounts.delete.path).expect(204);
    const detail = `404 User account not found for user_account_id ${leaver.accountId}`;
    expect([...(await answersTo({ 'api-key': leaver.apiKey }))]).toEqual([detail]);
    expect([...(await answersTo({ cookie, origin: service.url }))]).toEqual(['401 API key missing']);
  });
});

/** The routes that these headers are let into, in the order of the table. */
async function listReached(headers: Record<string, string>, refusal: RegExp): Promise<string[]> {
  const reached: string[] = [];
  // What ends the account comes last, and what ends the session before it.
  const routes = guarded().sort((left, right) => rankRoute(left) - rankRoute(right));
  for (const route of routes) {
    const { status, body } = await send(route, headers);
    if (status === 403) expect(body.detail).toMatch(refusal);
    else {
      expect([200, 201, 204, 400, 404, 415]).toContain(status);
      reached.push(nameRoute(route));
    }
  }
  return reached.sort();
}

function rankRoute({ method, path }: Route): number {
  const ends: string[] = [API.browserSessions.get.path, API.browserSessions.list.path, API.accounts.get.path];
  return method === 'DELETE' ? ends.indexOf(path) + 1 : 0;
}

describe('a key of one scope', () => {
  it.each(SCOPES)('that may %s gets into these routes, and no other', async (scope) => {
    const { accountId } = await service.addTenant();
    const { apiKey } = await service.withKey(accountId, scope);
    const refusal =
      /^This key lacks the scope \w+, which (GET|POST|DELETE) \/\S+ needs. It has \w+\. Create one that has it, .* --scope \w+$/;
    const expected = [...ROUTES_OF.key, ...REACH[scope].flatMap((one) => ROUTES_OF[one])];
    expect(await listReached({ 'api-key': apiKey }, refusal)).toEqual(expected.sort());
  });

  it('names the scope that is missing, and how to get it', async () => {
    const { apiKey } = await service.withKey(tenant.accountId, 'ingest');
    const { body } = await service.anonymous
      .get(`${API.traces.list.path}?limit=2`)
      .set('api-key', apiKey)
      .expect(403);
    expect(body).toEqual({
      detail:
        'This key lacks the scope read, which GET /api/v1/traces needs. It has ingest. ' +
        'Create one that has it, on the API keys page or with: dacapo keys create --name <name> --scope read',
      status_code: 403,
    });
  });
});

describe('the browser of a member', () => {
  it.each(ROLES)('who is %s gets into these routes, and no other', async (role) => {
    const owner = await service.addTenant();
    const { headers } = await service.addMember(owner, 'Ann', role);
    const refusal = new RegExp(
      `^The role ${role} lacks the scope \\w+, which (GET|POST|DELETE) /\\S+ needs\\. Ask an admin of the account for another role$`,
    );
    const expected = [
      ...ROUTES_OF.key,
      ...REACH_OF_ROLE[role].flatMap((one) => [...ROUTES_OF[one], ...(OF_MEMBERS[one] ?? [])]),
    ];
    const got = new Set<string>();
    for (const route of guarded()) {
      if (rankRoute(route) > 0) continue;
      const { status, body } = await send(route, headers);
      if (status === 403) expect(body.detail).toMatch(refusal);
      else {
        expect([200, 201, 204, 304, 400, 404, 415]).toContain(status);
        got.add(nameRoute(route));
      }
    }
    // Each of these ends the session that asks, and the last one the account.
    const ending = guarded().filter((route) => rankRoute(route) > 0);
    for (const route of ending.sort((left, right) => rankRoute(left) - rankRoute(right))) {
      const fresh = await service.addMember(owner, nameRoute(route), role);
      const { status, body } = await send(route, fresh.headers);
      if (status === 403) expect(body.detail).toMatch(refusal);
      else got.add(nameRoute(route));
    }
    expect([...got].sort()).toEqual([...new Set(expected)].sort());
  });
});

describe('a browser session', () => {
  it.each(['read', 'replay'] as const)('of a key that may %s gets where the key gets', async (scope) => {
    const { accountId } = await service.addTenant();
    const { apiKey } = await service.withKey(accountId, scope);
    const headers = { cookie: await service.signIn(apiKey), origin: service.url };
    // Signing out is asked for below: the session would be over for what comes after it.
    const expected = [...ROUTES_OF.key, ...REACH[scope].flatMap((one) => ROUTES_OF[one])];
    const refusal =
      /^The key that this browser signed in with lacks the scope \w+, which .* needs. It has \w+\./;
    const reached = guarded().filter(
      (route) => nameRoute(route) !== `DELETE ${API.browserSessions.signOut.path}`,
    );
    const got: string[] = [];
    for (const route of reached) {
      const { status, body } = await send(route, headers);
      if (status === 403) expect(body.detail).toMatch(refusal);
      else got.push(nameRoute(route));
    }
    expect([...got, `DELETE ${API.browserSessions.signOut.path}`].sort()).toEqual(expected.sort());
  });

  it('is not opened by a key that may not read', async () => {
    const { apiKey } = await service.withKey(tenant.accountId, 'ingest', 'manage');
    const { body } = await service.anonymous
      .post(API.browserSessions.signIn.path)
      .send({ api_key: apiKey })
      .expect(403);
    expect(body.detail).toBe(
      'This key cannot read the dashboard: it lacks the scope read and has only ingest, manage. Sign in with a key that has the scope read',
    );
  });

  it('changes nothing for a page of another site on any route', async () => {
    const cookie = await service.signInByLink(tenant.accountId);
    const changing = guarded().filter(({ method }) => method !== 'GET');
    expect(changing.length).toBeGreaterThan(20);
    for (const route of changing) {
      for (const foreign of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
        const { status, body } = await send(route, { cookie, ...foreign });
        expect({ route, status, detail: body.detail }).toEqual({
          route,
          status: 403,
          detail: 'Browser sessions may change data only from pages of this service',
        });
      }
    }
    await service.anonymous.get(API.browserSessions.get.path).set('cookie', cookie).expect(200);
  });
});

describe('a route that does not declare what it needs', () => {
  @Controller('api/v1/undeclared')
  class UndeclaredController {
    @Get()
    get(): object {
      return { secret: true };
    }
  }

  @Module({ controllers: [UndeclaredController] })
  class UndeclaredModule {}

  it('refuses everyone', async () => {
    const other = await Service.start({}, UndeclaredModule);
    const { apiKey } = await other.addTenant();
    const ask = request(other.url).get('/api/v1/undeclared');
    const { body } = await ask.set('api-key', apiKey).expect(500);
    expect(body).toEqual({ detail: 'The route does not say what it needs', status_code: 500 });
    await request(other.url).get('/api/v1/undeclared').expect(401);
    await other.close();
  });
});
