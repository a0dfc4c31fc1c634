import { routePath, ROUTES } from '@dacapo/protocol';
import { Service, type Tenant } from './support/service.js';

const SOURCE = 'function Classify(text: string) -> string {\n  client Main\n  prompt #"{{ text }}"#\n}\n';
const versions = (name: string): string => routePath(ROUTES.functionVersions, { name });
const version = (name: string, of: string | number): string =>
  routePath(ROUTES.functionVersion, { name, version: String(of) });
const activation = (name: string): string => routePath(ROUTES.activateFunction, { name });

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

  it('are listed with their active version, and their versions without source', async () => {
    await tenant.post(versions('b.second'), { source: SOURCE, entry: 'Classify' }).expect(201);
    await tenant.post(versions('Classify'), { source: SOURCE });
    await tenant.post(versions('Classify'), { source: `${SOURCE}// 2`, activate: false });
    const { body } = await tenant.get(ROUTES.functions).expect(200);
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
    expect((await stranger.get(ROUTES.functions)).body.items).toEqual([]);
    await service.anonymous
      .get(ROUTES.functions)
      .expect(401, { detail: 'API key missing', status_code: 401 });
  });
});
