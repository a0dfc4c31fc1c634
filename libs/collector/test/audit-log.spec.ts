import { SystemClock } from '@dacapo/collector';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { AUDITED_ACTIONS, type AuditEntry } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { AUDITED } from '../src/http/access/audited.decorator.js';
import { ManualClock } from './support/manual-clock.js';
import { furnish } from './support/routes.js';
import { Service, type Tenant } from './support/service.js';

/** Changing routes that the log does not note: what records do, reading by POST, and the account, which takes its log along. */
const UNNOTED = [
  `POST ${API.ingest.send.path}`,
  `POST ${API.otlp.send.path}`,
  'POST /v1/logs',
  'POST /v1/metrics',
  `POST ${API.scores.add.path}`,
  `POST ${API.testRuns.report.path}`,
  `POST ${API.testRuns.beat.path}`,
  `POST ${API.calls.search.path}`,
  `POST ${API.costs.compute.path}`,
  `POST ${API.developer.getContext.path}`,
  `POST ${API.deletions.preview.path}`,
  `POST ${API.retention.preview.path}`,
  // Noted by the service itself: a sign-in link is no route of the API.
  `POST ${API.browserSessions.signIn.path}`,
  `POST ${API.members.join.path}`,
  `DELETE ${API.accounts.delete.path}`,
  // No account asks for it.
  `POST ${API.accounts.create.path}`,
];

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start({ clock }, DiscoveryModule);
});

beforeEach(async () => {
  tenant = await service.addTenant();
});

afterAll(() => service.close());

const entries = async (query = ''): Promise<AuditEntry[]> =>
  (await tenant.get(`${API.audit.list.path}${query}`).expect(200)).body.items;

/** What each changing route of the server is noted as. */
function listActions(): Map<string, string | undefined> {
  const [discovery, scanner] = [service.app.get(DiscoveryService), service.app.get(MetadataScanner)];
  const reflector = service.app.get(Reflector);
  const found = new Map<string, string | undefined>();
  for (const { instance } of discovery.getControllers()) {
    const prototype: object = Object.getPrototypeOf(instance);
    const base = reflector.get<string>('path', (instance as object).constructor as never);
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = (prototype as Record<string, () => void>)[name]!;
      const method = ['GET', 'POST', 'PUT', 'DELETE'][reflector.get<number>('method', handler)];
      if (method === undefined || method === 'GET') continue;
      for (const own of [reflector.get<string | string[]>('path', handler)].flat()) {
        const path = `/${base}/${own}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
        found.set(`${method} ${path}`, reflector.get<string | undefined>(AUDITED, handler));
      }
    }
  }
  return found;
}

describe('every route that changes something', () => {
  it('is noted in the audit log, or is one of those that are not', () => {
    const actions = listActions();
    const changing = service.routes.filter(({ method }) => method !== 'GET');
    expect([...actions.keys()].sort()).toEqual(
      changing.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    const unnoted = [...actions].filter(([, action]) => action === undefined).map(([route]) => route);
    expect(unnoted.sort()).toEqual([...UNNOTED].sort());
    const noted = [...actions.values(), 'browser.sign_in', 'member.join', 'share_link.open'].filter(
      (action) => action !== undefined,
    );
    expect([...new Set(noted)].sort()).toEqual([...AUDITED_ACTIONS].sort());
  });
});

describe('the audit log', () => {
  it('lists who did what to which object, and when', async () => {
    const owned = await furnish(service, tenant);
    await tenant.delete(routePath(API.datasets.delete, { name: owned.dataset })).expect(204);
    const item = { item_no: 3, source_trace_id: owned.trace, source_span_id: owned.span, result: 1 };
    const items = [{ ...item, verdict: 'changed' }];
    await tenant.post(routePath(API.testRuns.report, { id: owned.run }), { items }).expect(200);
    await tenant.post(routePath(API.testRuns.accept, { id: owned.run, item_no: '3' }), {}).expect(200);
    const api_key = { id: owned.apiKey, name: 'a key', hint: expect.any(String) };
    const at = expect.stringMatching(/^2026-/);
    expect(await entries()).toEqual([
      { at, action: 'test_run_item.accept', object: `${owned.run}/3`, api_key },
      { at, action: 'dataset.delete', object: owned.dataset, api_key },
      { at, action: 'share_link.create', object: owned.shareLink, api_key },
      { at, action: 'member.invite', object: owned.member, api_key },
      {
        at,
        action: 'browser.sign_in',
        object: owned.browserSession,
        api_key,
        browser_session_id: owned.browserSession,
      },
      { at, action: 'deletion.create', object: owned.deletion, api_key },
      { at, action: 'dataset_version.create', object: owned.dataset, api_key },
      { at, action: 'dataset.create', object: owned.dataset, api_key },
      { at, action: 'function.push', object: owned.fn, api_key },
      { at, action: 'index.create', object: owned.index, api_key },
      { at, action: 'test_run.create', object: owned.run, api_key },
    ]);
  });

  it('lists the browser that acted, and the key that it signed in with', async () => {
    const cookie = await service.signInByLink(tenant.accountId);
    const headers = { cookie, origin: service.url };
    const { body: key } = await service.anonymous
      .post(API.apiKeys.create.path)
      .set(headers)
      .send({ name: 'x' });
    const [created, signedIn] = await entries();
    expect(signedIn).toMatchObject({ action: 'browser.sign_in' });
    expect(created).toEqual({
      at: expect.any(String),
      action: 'api_key.create',
      object: key.id,
      browser_session_id: signedIn?.object,
    });
    expect(JSON.stringify(await entries())).not.toContain(key.api_key);
  });

  it('notes nothing that was refused', async () => {
    await tenant.post(API.apiKeys.create.path, { name: '' }).expect(400);
    await tenant.delete(routePath(API.datasets.delete, { name: 'none' })).expect(404);
    expect(await entries()).toEqual([]);
  });

  it('is read page by page', async () => {
    for (const name of ['a', 'b', 'c']) await tenant.post(API.datasets.create.path, { name }).expect(201);
    const { body: first } = await tenant.get(`${API.audit.list.path}?limit=2`).expect(200);
    const rest = await entries(`?limit=2&cursor=${first.next_cursor}`);
    const objects = [...first.items, ...rest].map(({ object }: AuditEntry) => object);
    expect(objects).toEqual(['c', 'b', 'a']);
  });

  it('is that of its own account', async () => {
    await tenant.post(API.datasets.create.path, { name: 'mine' }).expect(201);
    const stranger = await service.addTenant();
    expect((await stranger.get(API.audit.list.path).expect(200)).body).toEqual({ items: [] });
  });

  it('deletes entries older than 400 days', async () => {
    await tenant.post(API.datasets.create.path, { name: 'old' }).expect(201);
    clock.advanceDays(401);
    await tenant.post(API.datasets.create.path, { name: 'new' }).expect(201);
    expect((await entries()).map(({ object }) => object)).toEqual(['new']);
  });
});

describe('a log that cannot be written', () => {
  it('blocks no action when it fails, and reports the failure', async () => {
    const storage = await openInMemoryStorage(new SystemClock());
    storage.meta.audit.add = () => Promise.reject(new Error('disk full'));
    const messages: string[] = [];
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (text: string) => messages.push(text),
    };
    const other = await Service.start({ storage: () => storage, logger });
    const { accountId, post } = await other.addTenant();
    await post(API.datasets.create.path, { name: 'mine' }).expect(201);
    expect(messages).toEqual([
      expect.stringMatching(
        `^The audit log of account ${accountId} lacks dataset.create, object mine, key .*: Error$`,
      ),
    ]);
    await other.close();
  });
});
