import { type ApiKeySummary, type CreatedApiKey, formatTimestamp } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { ManualClock } from './support/manual-clock.js';
import { Service, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;

beforeAll(async () => {
  service = await Service.start({ clock });
});

afterAll(() => service.close());

describe('API keys', () => {
  it('are shown whole once, then by their first and last characters', async () => {
    const tenant = await service.addTenant();
    const { body: created } = await tenant.post(API.apiKeys.create.path, { name: 'ci' }).expect(201);
    expect(created.api_key).toMatch(/^dcp_[0-9A-Za-z]{34}$/);
    const { body, text } = await tenant.get(API.apiKeys.list.path).expect(200);
    expect(body.items[1]).toEqual({
      id: created.id,
      name: 'ci',
      hint: `${created.api_key.slice(0, 7)}…${created.api_key.slice(-4)}`,
      scopes: ['ingest'],
      created_at: created.created_at,
    });
    expect(text).not.toContain(created.api_key);
  });

  it('show when they were last used', async () => {
    const tenant = await service.addTenant();
    const lastUse = async (): Promise<string | undefined> =>
      (await tenant.get(API.apiKeys.list.path).expect(200)).body.items[0].last_used_at;
    // No request waits for the note of its own use.
    let noted = await lastUse();
    while (noted === undefined) noted = await lastUse();
    expect(noted).toMatch(/^\d{4}-/);
  });

  it('have a name, and scopes that there are', async () => {
    const tenant = await service.addTenant();
    const refused = async (body: object): Promise<string> =>
      (await tenant.post(API.apiKeys.create.path, body).expect(400)).body.detail;
    expect(await refused({ name: '' })).toBe('name must not be blank');
    expect(await refused({ name: 'x', scopes: [] })).toBe('scopes must hold one at least');
    expect(await refused({ name: 'x', scopes: ['read', 'admin'] })).toBe(
      'scopes[1] must be one of ingest, read, replay, manage, not "admin"',
    );
  });

  it('grant at most their own scopes', async () => {
    const { accountId } = await service.addTenant();
    const manager = await service.withKey(accountId, 'manage', 'replay');
    const make = (...scopes: string[]) => manager.post(API.apiKeys.create.path, { name: 'x', scopes });
    await make('manage', 'replay', 'read', 'ingest').expect(201);
    const narrow = await service.withKey(accountId, 'manage', 'read');
    const { body } = await narrow
      .post(API.apiKeys.create.path, { name: 'x', scopes: ['read', 'ingest', 'replay'] })
      .expect(403);
    expect(body.detail).toBe(
      'You cannot grant the scopes ingest, replay, which you lack. Create the key with a key that has them',
    );
  });

  it('expire at a future time or never', async () => {
    const tenant = await service.addTenant();
    const make = (expires_at: string) => tenant.post(API.apiKeys.create.path, { name: 'x', expires_at });
    const past = await make(formatTimestamp(clock.nowUs())).expect(400);
    expect(past.body.detail).toBe('expires_at must be in the future');
    const tomorrow = await make('tomorrow').expect(400);
    expect(tomorrow.body.detail).toMatch(/^expires_at must be an ISO 8601 time/);
    const expires_at = formatTimestamp(clock.nowUs() + 60e6);
    expect((await make(expires_at).expect(201)).body).toMatchObject({ expires_at });
    clock.advance(61);
    expect((await tenant.get(API.apiKeys.list.path)).body.items[1]).toMatchObject({ expires_at });
  });
});

describe('a key that is rotated', () => {
  const rotate = (by: Tenant, id: string, body: object = {}) =>
    by.post(routePath(API.apiKeys.rotate, { id }), body);
  const readStatus = async (apiKey: string): Promise<number> =>
    (await service.anonymous.get(API.accounts.get.path).set('api-key', apiKey)).status;
  const make = async (by: Tenant, more: object): Promise<CreatedApiKey> =>
    (await by.post(API.apiKeys.create.path, { name: 'desk', ...more }).expect(201)).body;

  it('is accepted with the new one until the overlap ends', async () => {
    const tenant = await service.addTenant();
    const old = await make(tenant, { scopes: ['read', 'ingest'], requests_per_minute: 6000 });
    const { body: fresh } = await rotate(tenant, old.id, { overlap_s: 3600 }).expect(201);
    expect(fresh).toEqual({
      id: expect.any(String),
      name: 'desk',
      hint: expect.any(String),
      scopes: ['read', 'ingest'],
      created_at: expect.any(String),
      requests_per_minute: 6000,
      api_key: expect.any(String),
      replaces: { id: old.id, expires_at: expect.any(String) },
    });
    expect(fresh.api_key).not.toBe(old.api_key);
    clock.advance(3599);
    expect([await readStatus(old.api_key), await readStatus(fresh.api_key)]).toEqual([200, 200]);
    clock.advance(2);
    expect([await readStatus(old.api_key), await readStatus(fresh.api_key)]).toEqual([401, 200]);
    const { body } = await tenant.get(API.apiKeys.list.path);
    expect(body.items.find(({ id }: ApiKeySummary) => id === old.id)).toMatchObject({
      replaced_by: fresh.id,
      expires_at: fresh.replaces.expires_at,
    });
  });

  it('is accepted for a day by default, and not at all on request', async () => {
    const tenant = await service.addTenant();
    const [day, none] = [await make(tenant, {}), await make(tenant, {})];
    await rotate(tenant, day.id).expect(201);
    await rotate(tenant, none.id, { overlap_s: 0 }).expect(201);
    expect([await readStatus(day.api_key), await readStatus(none.api_key)]).toEqual([200, 401]);
    clock.advance(24 * 3600);
    expect(await readStatus(day.api_key)).toBe(401);
    const { body } = await rotate(tenant, day.id, { overlap_s: 31 * 24 * 3600 }).expect(400);
    expect(body.detail).toBe('overlap_s must be a whole number from 0 to 2592000, not 2678400');
  });

  it('gives its successor its own lifetime, and keeps its own expiry', async () => {
    const tenant = await service.addTenant();
    const old = await make(tenant, { expires_at: formatTimestamp(clock.nowUs() + 7200e6) });
    clock.advance(3600);
    const { body: fresh } = await rotate(tenant, old.id).expect(201);
    expect(fresh.replaces).toEqual({ id: old.id, expires_at: old.expires_at });
    const lifeS = (Date.parse(fresh.expires_at) - Date.parse(fresh.created_at)) / 1000;
    expect(Math.round(lifeS)).toBe(7200);
  });

  it('is rotated once, while it is in use, and by nobody who may less', async () => {
    const tenant = await service.addTenant();
    const old = await make(tenant, { scopes: ['read'] });
    const manager = await service.withKey(tenant.accountId, 'manage');
    expect((await rotate(manager, old.id).expect(403)).body.detail).toMatch(
      /^You cannot grant the scope read/,
    );
    const { body: fresh } = await rotate(tenant, old.id).expect(201);
    const { body } = await rotate(tenant, old.id).expect(409);
    expect(body.detail).toBe(
      `API key ${old.id} was already rotated: the key ${fresh.id} replaced it. Rotate that one`,
    );
    await tenant.delete(routePath(API.apiKeys.revoke, { id: fresh.id })).expect(204);
    await rotate(tenant, fresh.id).expect(404);
  });
});

describe('a key with a limit', () => {
  it('is limited to its rate, learns when to retry, and harms no other', async () => {
    const tenant = await service.addTenant();
    const { body: key } = await tenant
      .post(API.apiKeys.create.path, { name: 'x', scopes: ['read'], requests_per_minute: 18 })
      .expect(201);
    const ask = () => service.anonymous.get(API.traces.list.path).set('api-key', key.api_key);
    for (const status of [200, 200, 200, 429]) expect((await ask()).status).toBe(status);
    const refused = await ask();
    expect(refused.body).toEqual({
      detail:
        'This key may send 18 requests per minute, at most 3 at once. Try again in 4 s, or create a key with a higher limit or none',
      status_code: 429,
    });
    expect(refused.get('retry-after')).toBe('4');
    await tenant.get(API.traces.list.path).expect(200);
    clock.advance(4);
    await ask().expect(200);
    await ask().expect(429);
  });

  it('counts the requests of browsers that signed in with it', async () => {
    const tenant = await service.addTenant();
    const limited = { name: 'x', scopes: ['read'], requests_per_minute: 6 };
    const { body: key } = await tenant.post(API.apiKeys.create.path, limited).expect(201);
    const cookie = await service.signIn(key.api_key);
    const ask = () => service.anonymous.get(API.traces.list.path).set('cookie', cookie);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  });

  it.each([0, 1.5, 1_000_001])('has no %d', async (requests_per_minute) => {
    const tenant = await service.addTenant();
    const { body } = await tenant
      .post(API.apiKeys.create.path, { name: 'x', requests_per_minute })
      .expect(400);
    expect(body.detail).toMatch(/^requests_per_minute must be a whole number from 1 to 1000000/);
  });
});
