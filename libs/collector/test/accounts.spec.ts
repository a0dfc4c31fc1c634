import { createAccount } from '@dacapo/collector';
import { API } from '@dacapo/protocol/api';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Service, SILENT, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('creating accounts over HTTP', () => {
  const token = randomBytes(32).toString('hex');
  const operatorTokenFile = join(temporaryDirectory(), 'token');
  let service: Service;

  beforeAll(async () => {
    writeFileSync(operatorTokenFile, `${token}\n`, { mode: 0o600 });
    service = await Service.start({ operatorTokenFile });
  });

  afterAll(() => service.close());

  const create = (key?: string, body: object = { name: 'team' }) => {
    const request = service.anonymous.post(API.accounts.create.path).send(body);
    return key === undefined ? request : request.set('api-key', key);
  };

  it('accepts the operator token, and returns a key with every scope', async () => {
    const { body } = await create(token).expect(201);
    expect(body).toMatchObject({ account: { name: 'team' }, api_key: { api_key: expect.any(String) } });
    const tenant = createTenant(service.url, body.account.id, body.api_key.api_key);
    expect((await tenant.get(API.accounts.get.path).expect(200)).body).toMatchObject({ id: body.account.id });
    await create(token, { nane: 'team' }).expect(400);
  });

  it('rejects the key of an account, and requests without a token', async () => {
    const tenant = await service.addTenant();
    await create(tenant.apiKey).expect(403);
    await create().expect(401);
    await create(`${token}0`).expect(403);
  });

  it('is no route without the token file', async () => {
    const without = await Service.start();
    const tenant = await without.addTenant();
    for (const key of [tenant.apiKey, token]) {
      await without.anonymous
        .post(API.accounts.create.path)
        .set('api-key', key)
        .send({ name: 'team' })
        .expect(404);
    }
    await without.close();
  });
});

describe('creating an account in a data directory', () => {
  it('works while no service runs on it, and not while one does', async () => {
    const dataDir = temporaryDirectory();
    const { account, api_key } = await createAccount({ dataDir, name: 'team', logger: SILENT });
    const service = await Service.start({ dataDir });
    const tenant = createTenant(service.url, account.id, api_key.api_key);
    expect((await tenant.get(API.accounts.get.path).expect(200)).body).toMatchObject({ name: 'team' });
    await expect(createAccount({ dataDir, name: 'other', logger: SILENT })).rejects.toMatchObject({
      code: 'COLLECTOR_DATA_DIR_IN_USE',
    });
    await service.close();
  });
});
