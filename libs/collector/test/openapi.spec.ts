import { jsonSchema } from '@dacapo/evaluation';
import { SCOPES, type ScoreRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { OpenApiDocument, DescribedOperation } from '../src/http/openapi/openapi-document.js';
import { span } from './support/records.js';
import { type Belongings, type Call, callsWith, furnish, REMOTE } from './support/routes.js';
import { Service, type Tenant } from './support/service.js';

/** Pages and their style: for browsers, no part of the API. */
const PAGES = ['GET /', 'GET /*', 'GET /sign-in', 'GET /api/docs', 'GET /api/docs/style.css'];
/** They answer 404 with the cure. */
const REFUSED = ['POST /v1/logs', 'POST /v1/metrics'];

/** Their bodies are no JSON objects. */
const STREAMED = [`POST ${API.ingest.send.path}`, `POST ${API.otlp.send.path}`];

let service: Service;
let tenant: Tenant;
let owned: Belongings;
let document: OpenApiDocument;

beforeAll(async () => {
  service = await Service.start();
  tenant = await service.addTenant();
  owned = await furnish(service, tenant);
  document = (await service.anonymous.get(API.service.openApi.path).expect(200)).body;
});

afterAll(() => service.close());

const operations = (): [route: string, operation: DescribedOperation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, DescribedOperation] => [
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      operation,
    ]),
  );

const compiled = new Map<string, ReturnType<typeof jsonSchema>>();

/** What is wrong with a value, by a schema of the document; `undefined` when nothing is. */
async function findFault(schema: object, value: unknown): Promise<string | undefined> {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const key = JSON.stringify(schema);
  const fits = compiled.get(key) ?? jsonSchema({ $schema, ...schema, components: document.components });
  compiled.set(key, fits);
  const score: unknown = await fits({ output: value } as Parameters<typeof fits>[0]);
  return score === true ? undefined : (score as { explanation: string }).explanation;
}

const schemaOfBody = (operation: DescribedOperation): object =>
  Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};

describe('the OpenAPI document', () => {
  it('lists every route of the server and no other', () => {
    const routes = service.routes.map(({ method, path }) => `${method} ${path}`);
    expect(document.openapi).toBe('3.1.0');
    expect(
      operations()
        .map(([route]) => route)
        .sort(),
    ).toEqual(routes.filter((route) => ![...PAGES, ...REFUSED].includes(route)).sort());
  });

  it('describes fields that are transformed when they are read', () => {
    const [, deletion] = operations().find(([route]) => route === `POST ${API.deletions.create.path}`)!;
    expect(schemaOfBody(deletion)).toMatchObject({
      properties: {
        before: {
          type: 'string',
          description: expect.stringContaining('started before this time') as string,
        },
      },
    });
  });

  it('names each operation once, and every parameter of its path', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [route, { parameters }] of operations()) {
      const named = parameters.filter((one) => one.in === 'path').map(({ name }) => `:${name}`);
      expect({ route, named }).toEqual({ route, named: route.match(/:\w+/g) ?? [] });
    }
  });

  it('has every schema that it refers to, and each is one', async () => {
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name!);
    }
    for (const name of Object.keys(document.components.schemas)) {
      // What is no schema throws here; nothing is a value of all of them.
      await findFault({ $ref: `#/components/schemas/${name}` }, undefined);
    }
  });

  it('shows what a route requires', async () => {
    const narrow = await service.withKey(tenant.accountId, 'ingest');
    for (const [route, { description = '', security }] of operations()) {
      const [method = '', path = ''] = route.split(' ');
      if (method !== 'GET') continue;
      const ids = { id: 'x', span_id: 'x', index_id: 'x', item_no: '0', name: 'x', version: '1' };
      const { status } = await narrow.get(routePath({ path }, ids));
      expect({ route, mayNot: status === 403 }).toEqual({
        route,
        mayNot: /scope `(read|manage)`/.test(description),
      });
      const anonymous = await service.anonymous.get(routePath({ path }, ids));
      expect({ route, isOpen: anonymous.status !== 401 }).toEqual({ route, isOpen: security.length === 0 });
    }
  });

  it('contains nothing about the account, and requires no key', () => {
    for (const id of Object.values(owned)) expect(JSON.stringify(document)).not.toContain(id);
  });
});

describe('the answers of the service', () => {
  it('match the schema of their route, and have a documented status', async () => {
    const { accountId } = tenant;
    // The key of the tenant is one of the things that are removed.
    const caller = await service.withKey(accountId, ...SCOPES);
    const own = await furnish(service, tenant);
    const calls: Call[] = [
      ...callsWith(own),
      ...[
        API.traces.list.path,
        API.traces.listKeys.path,
        API.traces.listSessions.path,
        API.scores.add.path,
        API.testRuns.create.path,
      ].map(get),
      ...[
        API.datasets.create.path,
        API.functions.list.path,
        API.indexes.list.path,
        API.apiKeys.list.path,
        API.browserSessions.list.path,
      ].map(get),
      get(API.members.list.path),
      get(`${API.traces.listFacets.path}?of=model`),
      ...[
        API.developer.listIndexes.path,
        API.accounts.get.path,
        API.audit.list.path,
        API.service.live.path,
        API.service.ready.path,
      ].map(get),
      get(`${routePath(API.testRuns.listItems, { id: own.run })}?payloads=true`),
      {
        method: 'post',
        path: API.calls.search.path,
        body: { trace_function_key: 'answer', descendants: true },
      },
    ];
    // What removes things comes last.
    const ordered = calls.sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
    const seen = new Set<string>();
    for (const { method, path, body: sent } of ordered) {
      const [route, operation] = findOperation(method, path);
      const { status, body: answer } = await caller[method](path, sent);
      // Bytes are a string in JSON Schema.
      const body: unknown = Buffer.isBuffer(answer) ? answer.toString('latin1') : answer;
      const described = operation.responses[status];
      expect({ route, status, isDescribed: described !== undefined }).toEqual({
        route,
        status,
        isDescribed: true,
      });
      const schema = Object.values(described?.content ?? {})[0]?.schema;
      if (schema === undefined) continue;
      expect({ route, status, fault: await findFault(schema, body), body }).toEqual({ route, status, body });
      if (status < 300) seen.add(route);
    }
    expect(seen.size).toBeGreaterThan(30);
    tenant = caller;
  });

  const get = (path: string): Call => ({ method: 'get', path });

  function findOperation(method: string, path: string): [string, DescribedOperation] {
    const endpoint = `${method.toUpperCase()} ${path.split('?', 1)[0] ?? ''}`;
    const candidates = operations().filter(([route]) =>
      new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`).test(endpoint),
    );
    // A path without parameters is nearer than one with some.
    return candidates.sort(([a], [b]) => a.split(':').length - b.split(':').length)[0]!;
  }
});

describe('a body', () => {
  const score = (): ScoreRecord => ({
    id: '018f0000-0000-7000-8000-000000000001',
    name: 'good',
    value: 1,
    trace_id: owned.trace,
    author: { kind: 'person', name: 'ann' },
    created_at: '2026-01-31T12:00:00.000000Z',
  });
  const bodies = (): Record<string, Record<string, unknown>> => ({
    [`POST ${API.scores.add.path}`]: { scores: [score()] },
    [`POST ${API.retention.preview.path}`]: { days: 30 },
    [`POST ${API.retention.set.path}`]: { trace_function_key: 'none', days: 30 },
    [`POST ${API.deletions.create.path}`]: { trace_ids: [owned.deletion], session_id: 'none' },
    [`POST ${API.deletions.preview.path}`]: { trace_function_key: 'none', before: '2026-01-01T00:00:00Z' },
    [`POST ${API.calls.search.path}`]: { trace_function_key: 'answer', limit: 5 },
    [`POST ${API.costs.compute.path}`]: {
      usages: [{ model: 'gpt-4o', provider: 'openai', input_tokens: 5 }],
    },
    [`POST ${API.testRuns.create.path}`]: { trace_function_key: 'answer', name: 'n', repeat: 2 },
    [`POST ${API.testRuns.report.path}`]: {
      items: [
        {
          item_no: 3,
          source_trace_id: owned.trace,
          source_span_id: owned.span,
          verdict: 'changed',
          result: 1,
        },
      ],
    },
    [`POST ${API.indexes.setRemote.path}`]: REMOTE,
    [`POST ${API.testRuns.accept.path}`]: { note: 'n', repetition: 0 },
    [`POST ${API.testRuns.finish.path}`]: {
      status: 'finished',
      expected_items: 1,
      summary: { passed: true, gate: {}, checks: [{ name: 'a', limit: '', measured: '', passed: true }] },
    },
    [`POST ${API.decisions.decide.path}`]: { after: 0, ignore: ['$.version'], note: 'n' },
    [`POST ${API.datasets.create.path}`]: { name: `body-${span().id}`, description: 'd' },
    [`POST ${API.datasets.addVersion.path}`]: { items: [{ input: ['x'] }], note: 'n' },
    [`POST ${API.developer.getContext.path}`]: { index_id: owned.index, query: 'x', limit: 1 },
    [`POST ${API.indexes.create.path}`]: { name: 'n', type: 'SDK' },
    [`POST ${API.indexes.addDocuments.path}`]: {
      documents: [{ source: 's.md', content: '# S', content_type: 'text/markdown' }],
    },
    [`POST ${API.indexes.deleteDocuments.path}`]: { sources: ['s.md'] },
    [`POST ${API.functions.push.path}`]: { source: `function ${owned.fn}(text: string) -> string {}` },
    [`POST ${API.functions.activate.path}`]: { version: 1, replaces: 1 },
    [`POST ${API.apiKeys.create.path}`]: { name: 'n', scopes: ['read'], requests_per_minute: 5 },
    [`POST ${API.apiKeys.rotate.path}`]: { overlap_s: 60 },
    [`POST ${API.members.invite.path}`]: { name: `Ann ${span().id}`, role: 'viewer', expires_in_s: 60 },
    [`POST ${API.members.changeRole.path}`]: { role: 'viewer' },
    [`POST ${API.members.createLink.path}`]: { expires_in_s: 60 },
    [`POST ${API.shareLinks.create.path}`]: { trace_id: owned.trace, payloads: true, expires_in_s: 60 },
    [`POST ${API.members.join.path}`]: { token: new URL(link).hash.slice(1) },
    [`POST ${API.browserSessions.signIn.path}`]: { api_key: tenant.apiKey },
  });

  let fresh: Tenant;
  let link = '';
  const send = (route: string, body: object) => {
    const path = route.replace('POST ', '');
    const id = path.includes('api-keys') ? owned.apiKey : path.includes('members') ? owned.member : owned.run;
    const ids = { ...owned, id, index_id: owned.index };
    const name = path.includes('functions') ? owned.fn : owned.dataset;
    return fresh.post(routePath({ path }, { ...ids, name, item_no: '3' }), body);
  };

  beforeAll(async () => {
    fresh = await service.addTenant();
    owned = await furnish(service, fresh);
    ({ link } = (await fresh.post(API.members.invite.path, { name: 'Joining', role: 'admin' })).body);
  });

  it('is in the list of examples below for every route with one', () => {
    const taking = operations().filter(
      ([route, { requestBody }]) =>
        requestBody &&
        !STREAMED.includes(route) &&
        // The operator's token, which no tenant has, creates accounts: see accounts.spec.ts.
        route !== `POST ${API.accounts.create.path}`,
    );
    expect(Object.keys(bodies()).sort()).toEqual(taking.map(([route]) => route).sort());
  });

  it('that matches its schema is accepted', async () => {
    for (const [route, body] of Object.entries(bodies())) {
      const schema = schemaOfBody(Object.fromEntries(operations())[route]!);
      expect({ route, fault: await findFault(schema, body) }).toEqual({ route });
      const { status, body: answer } = await send(route, body);
      expect({ route, answer, isTaken: status < 300 }).toEqual({ route, answer, isTaken: true });
    }
  });

  it('that lacks a required field, or has it with another type, is rejected by both', async () => {
    let refused = 0;
    for (const [route, body] of Object.entries(bodies())) {
      const schema = schemaOfBody(Object.fromEntries(operations())[route]!);
      for (const name of Object.keys(body)) {
        const without = Object.fromEntries(Object.entries(body).filter(([other]) => other !== name));
        const wrong = { ...body, [name]: typeof body[name] === 'object' ? 'text' : { an: 'object' } };
        const lacking = (await findFault(schema, without)) !== undefined;
        for (const [sent, isRefused] of [
          [without, lacking],
          [wrong, true],
        ] as const) {
          const { status } = await send(route, sent);
          expect({ route, sent, status, schema: (await findFault(schema, sent)) !== undefined }).toEqual({
            route,
            sent,
            schema: isRefused,
            status: isRefused ? 400 : expect.any(Number),
          });
          if (isRefused) refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(25);
  });
});

describe('a query', () => {
  const concrete = (route: string): string =>
    routePath(
      { path: route.replace('GET ', '').replace('DELETE ', '') },
      {
        id: owned.run,
        span_id: owned.span,
        index_id: owned.index,
        item_no: '0',
        secret: 'x',
        version: '1',
        tool: 'status',
        subject: 'x',
        name: owned.dataset,
      },
    );
  const ask = (route: string, query: string) => {
    const path = `${concrete(route)}?${query}`;
    return route.startsWith('GET')
      ? tenant.get(path)
      : route.startsWith('POST')
        ? tenant.post(path.replace('POST ', ''), {})
        : tenant.delete(path);
  };

  it('is rejected for an unknown name, on every route', async () => {
    for (const [route, { parameters, security }] of operations()) {
      if (security.length === 0) continue;
      const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const { status, body } = await ask(route, 'colour=blue');
      expect({ route, status }).toEqual({ route, status: 400 });
      const names = known.length === 0 ? 'None is accepted' : `Known: ${known.sort().join(', ')}`;
      expect(body.detail).toMatch(/^Unknown query parameter "colour"\. /);
      expect(body.detail.endsWith(names)).toBe(true);
    }
  });

  it('is reported with a suggestion', async () => {
    const { body } = await tenant.get(`${API.traces.list.path}?statuss=error`).expect(400);
    expect(body.detail).toBe(
      'Unknown query parameter "statuss". Did you mean "status"? Known: cursor, environment, except_tags, kind, level, limit, ' +
        'max_cost_usd, max_duration_ms, max_span_count, max_tokens, metadata, min_cost_usd, min_duration_ms, min_span_count, min_tokens, model, name, release, replays, score, score_above, ' +
        'score_below, score_is, session_id, since, sort, status, tags, test_run_id, text, trace_function_key, trace_ids, type, until, user_id',
    );
  });

  it('gives no access to what every object inherits', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await tenant.get(`${API.traces.list.path}?${name}=x`)).status).toBe(400);
    }
  });

  it('is refused for a value that the document does not allow', async () => {
    let refused = 0;
    for (const [route, { parameters }] of operations()) {
      for (const { name, in: place, schema } of parameters) {
        const takesText = ['string', 'array'].includes(String(schema['type'])) && !('enum' in schema);
        if (place !== 'query' || takesText) continue;
        const values = ['x', ...(schema['type'] === 'integer' ? ['1.5', Number(schema['minimum']) - 1] : [])];
        for (const value of values) {
          expect({ route, name, value, status: (await ask(route, `${name}=${value}`)).status }).toEqual({
            route,
            name,
            value,
            status: 400,
          });
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(40);
  });
});

describe('the page of the API', () => {
  it('shows every operation and schema, with no script, and with a style of its own', async () => {
    const answer = await service.anonymous
      .get('/api/docs')
      .expect(200)
      .expect('content-type', /text\/html/);
    for (const [, { operationId }] of operations()) expect(answer.text).toContain(`id="${operationId}"`);
    for (const name of Object.keys(document.components.schemas)) {
      expect(answer.text).toContain(`id="schema-${name}"`);
    }
    expect(answer.text).not.toMatch(/<script|style=|https?:/);
    expect(answer.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    await service.anonymous
      .get('/api/docs/style.css')
      .expect(200)
      .expect('content-type', /text\/css/);
  });
});
