import { API, routePath } from '@dacapo/protocol/api';
import { Service, type Tenant } from './support/service.js';

const SOURCE = 'function Classify(text: string) -> string {\n  client Main\n  prompt #"{{ text }}"#\n}\n';
const versions = (name: string): string => routePath(API.functions.listVersions, { name });
const version = (name: string, of: string | number): string =>
  routePath(API.functions.get, { name, version: String(of) });
const activation = (name: string): string => routePath(API.functions.activate, { name });

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());
beforeEach(async () => {
  tenant = await service.addTenant();
});

describe('Native functions', () => {
  it('number their versions from 1; the pushed one is active', async () => {
    const first = await tenant.post(versions('Classify'), { source: SOURCE, note: 'first try' }).expect(201);
    expect(first.body).toEqual({
      name: 'Classify',
      version: 1,
      source: SOURCE,
      entry: 'Classify',
      note: 'first try',
      created_at: expect.any(String),
      is_active: true,
    });
    await tenant.post(versions('Classify'), { source: `${SOURCE}\n// better` }).expect(201);
    const { body } = await tenant.get(version('Classify', 'active')).expect(200);
    expect(body).toMatchObject({ version: 2, is_active: true });
    expect((await tenant.get(version('Classify', 1)).expect(200)).body).toMatchObject({
      source: SOURCE,
      is_active: false,
    });
  });

  it('make no new version of the same source', async () => {
    await tenant.post(versions('Classify'), { source: SOURCE });
    const again = await tenant.post(versions('Classify'), { source: SOURCE }).expect(201);
    expect(again.body.version).toBe(1);
  });

  it('number concurrent pushes separately', async () => {
    const pushed = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        tenant.post(versions('Classify'), { source: `${SOURCE}// ${index}` }),
      ),
    );
    expect(pushed.map(({ body }) => body.version as number).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('are pushed without being activated, activated, and brought back', async () => {
    await tenant.post(versions('Classify'), { source: SOURCE });
    await tenant.post(versions('Classify'), { source: `${SOURCE}// 2`, activate: false }).expect(201);
    expect((await tenant.get(version('Classify', 'active'))).body.version).toBe(1);
    await tenant.post(activation('Classify'), { version: 2 }).expect(200);
    expect((await tenant.get(version('Classify', 'active'))).body.version).toBe(2);
    await tenant.post(activation('Classify'), { version: 1 }).expect(200);
    expect((await tenant.get(version('Classify', 'active'))).body.version).toBe(1);
    await tenant.post(activation('Classify'), { version: 3 }).expect(404);
  });

  it('are activated in place of the version that the caller saw, or not at all', async () => {
    for (const note of ['1', '2', '3'])
      await tenant.post(versions('Classify'), { source: `${SOURCE}// ${note}`, activate: note !== '3' });
    const { body } = await tenant.post(activation('Classify'), { version: 1, replaces: 3 }).expect(409);
    expect(body.detail).toBe(
      'Version 3 of function Classify is not active any more. Look at its versions and activate again',
    );
    await tenant.post(activation('Classify'), { version: 1, replaces: 2 }).expect(200);
    const { body: listed } = await tenant.get(versions('Classify')).expect(200);
    expect(listed.items.map(({ activated_at }: { activated_at: string[] }) => activated_at.length)).toEqual([
      0, 1, 2,
    ]);
  });

  it('are activated by developers, admins and keys that may manage, and the audit log names them', async () => {
    await tenant.post(versions('Classify'), { source: SOURCE });
    const body = { version: 1 };
    const send = (headers: Record<string, string>) =>
      service.anonymous.post(activation('Classify')).set(headers).send(body);
    for (const role of ['developer', 'admin'] as const)
      await send((await service.addMember(tenant, role, role)).headers).expect(200);
    const viewer = await service.addMember(tenant, 'viewer', 'viewer');
    expect((await send(viewer.headers).expect(403)).body.detail).toContain(
      'The role viewer lacks the scope replay',
    );
    const { apiKey: manager } = await service.withKey(tenant.accountId, 'manage');
    await send({ 'api-key': manager }).expect(200);
    const { apiKey: player } = await service.withKey(tenant.accountId, 'replay');
    expect((await send({ 'api-key': player }).expect(403)).body.detail).toContain(
      'This key lacks the scope manage',
    );
    const { body: log } = await tenant.get(`${API.audit.list.path}?limit=50`).expect(200);
    const noted = log.items.filter(({ action }: { action: string }) => action === 'function.activate');
    expect(noted).toHaveLength(3);
    expect(JSON.stringify(noted)).toContain('developer');
  });

  it('are listed with their active version, and their versions without source', async () => {
    await tenant.post(versions('b.second'), { source: SOURCE, entry: 'Classify' }).expect(201);
    await tenant.post(versions('Classify'), { source: SOURCE });
    await tenant.post(versions('Classify'), { source: `${SOURCE}// 2`, activate: false });
    const { body } = await tenant.get(API.functions.list.path).expect(200);
    expect(body.items).toMatchObject([
      { name: 'Classify', active_version: 1, version_count: 2 },
      { name: 'b.second', active_version: 1, version_count: 1 },
    ]);
    const listed = await tenant.get(versions('Classify')).expect(200);
    expect(listed.body.items).toMatchObject([
      { version: 2, is_active: false },
      { version: 1, is_active: true },
    ]);
    expect(listed.body.items[0]).not.toHaveProperty('source');
  });

  it('answer 304 to a client with the active version', async () => {
    await tenant.post(versions('Classify'), { source: SOURCE });
    const { headers } = await tenant.get(version('Classify', 'active')).expect(200);
    const etag = String(headers['etag']);
    const unchanged = await tenant.get(version('Classify', 'active')).set('if-none-match', etag).expect(304);
    expect(unchanged.text).toBe('');
    await tenant.post(versions('Classify'), { source: `${SOURCE}// 2` });
    await tenant.get(version('Classify', 'active')).set('if-none-match', etag).expect(200);
  });

  it.each([
    ['Classify', {}, 'source'],
    ['Classify', { source: ' ' }, 'source'],
    ['Classify', { source: SOURCE, entry: 'Nope' }, 'entry'],
    ['other', { source: SOURCE }, 'entry'],
    ['Classify', { source: SOURCE, activate: 'yes' }, 'activate'],
    ['1st', { source: SOURCE }, 'name'],
  ])('refuse %s %j, naming %s', async (name, body, field) => {
    const { body: answer } = await tenant.post(versions(name), body).expect(400);
    expect(answer).toEqual({ detail: expect.stringContaining(field), status_code: 400 });
  });

  it('are 404 when unknown, and versions that are no number 400', async () => {
    await tenant
      .get(version('Nope', 'active'))
      .expect(404, { detail: 'Function Nope not found', status_code: 404 });
    await tenant.get(versions('Nope')).expect(404);
    await tenant.post(versions('Classify'), { source: SOURCE });
    await tenant.get(version('Classify', 9)).expect(404);
    await tenant.get(version('Classify', 'latest')).expect(400);
  });

  it('belong to their account, and need a key', async () => {
    await tenant.post(versions('Classify'), { source: SOURCE });
    const stranger = await service.addTenant();
    await stranger.get(version('Classify', 'active')).expect(404);
    expect((await stranger.get(API.functions.list.path)).body.items).toEqual([]);
    await service.anonymous
      .get(API.functions.list.path)
      .expect(401, { detail: 'API key missing', status_code: 401 });
  });
});
