import { API } from '@dacapo/protocol/api';
import { newApiKey } from '../src/accounts/api-key.js';
import { runService, Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

runService((opened, account) => {
  service = opened;
  tenant = account;
});

describe('GET list-indexes', () => {
  it('SPEC 4.1: has this path', () => {
    expect(API.developer.listIndexes.path).toBe('/api/v1/developer/list-indexes');
  });

  it('SPEC 2.1, 2.2: answers an envelope with an empty list when nothing is indexed', async () => {
    const { body } = await tenant
      .get(API.developer.listIndexes.path)
      .expect(200)
      .expect('content-type', /json/);
    expect(body).toEqual({ ok: true, error: null, data: { indexes: [] } });
  });

  it('SPEC 4.1 rule 1: lists every indexed service with only name, index_id and type', async () => {
    for (const [name, type] of [
      ['Nest', 'SDK'],
      ['Git', 'CLI'],
      ['Stripe', 'API'],
      ['Handbook', 'OTHER'],
    ]) {
      await tenant.post(API.indexes.create.path, { name, type }).expect(201);
    }
    const { body } = await tenant.get(API.developer.listIndexes.path).expect(200);
    const index_id = expect.stringMatching(/^scrape_\d+$/);
    expect(body.data.indexes).toEqual([
      { name: 'Nest', index_id, type: 'SDK' },
      { name: 'Git', index_id, type: 'CLI' },
      { name: 'Stripe', index_id, type: 'API' },
      { name: 'Handbook', index_id, type: 'OTHER' },
    ]);
  });

  it('SPEC 4.1 rule 2: lists the index_id that get-context accepts', async () => {
    const { body } = await tenant.get(API.developer.listIndexes.path);
    for (const { index_id } of body.data.indexes) {
      const answer = await tenant
        .post(API.developer.getContext.path, { index_id, query: 'anything' })
        .expect(200);
      expect(answer.body).toEqual({ ok: true, error: null, data: { index_id, results: [] } });
    }
  });

  it('accepts the key with any case of the header name, and as a bearer token', async () => {
    await service.anonymous.get(API.developer.listIndexes.path).set('API-Key', tenant.apiKey).expect(200);
    await service.anonymous
      .get(API.developer.listIndexes.path)
      .set('authorization', `Bearer ${tenant.apiKey}`)
      .expect(200);
  });
});

describe('errors', () => {
  it('SPEC 7: 401 "API key missing" when the header is absent', async () => {
    const { body } = await service.anonymous
      .get(API.developer.listIndexes.path)
      .expect(401)
      .expect('content-type', /json/);
    expect(body).toEqual({ detail: 'API key missing', status_code: 401 });
  });

  it.each([
    ['is blank', ' '],
    ['has another scheme', undefined],
  ])('SPEC 7: 401 "API key missing" when the header %s', async (_, key) => {
    const headers = key === undefined ? { authorization: 'Basic abc' } : { 'api-key': key };
    const { body } = await service.anonymous.get(API.developer.listIndexes.path).set(headers).expect(401);
    expect(body).toEqual({ detail: 'API key missing', status_code: 401 });
  });

  it.each([
    ['no key at all', () => 'nonsense'],
    ['mistyped', () => `${tenant.apiKey.slice(0, -1)}${tenant.apiKey.endsWith('0') ? '1' : '0'}`],
    ['well formed and unknown', newApiKey],
    ['a key with more behind it', () => `${tenant.apiKey}0`],
  ])('SPEC 7: 401 "Invalid API key" when the key is %s', async (_, key) => {
    const { body } = await service.anonymous
      .get(API.developer.listIndexes.path)
      .set('api-key', key())
      .expect(401);
    expect(body).toEqual({ detail: 'Invalid API key', status_code: 401 });
  });

  it('SPEC 7: 401 "Invalid API key" as soon as the key is revoked', async () => {
    const { body: key } = await tenant.post(API.apiKeys.create.path, { name: 'short' }).expect(201);
    await service.anonymous.get(API.developer.listIndexes.path).set('api-key', key.api_key).expect(200);
    await tenant.delete(`${API.apiKeys.list.path}/${key.id}`).expect(204);
    const { body } = await service.anonymous
      .get(API.developer.listIndexes.path)
      .set('api-key', key.api_key)
      .expect(401);
    expect(body).toEqual({ detail: 'Invalid API key', status_code: 401 });
  });

  it('SPEC 7: 404 "User account not found for user_account_id <id>" when the account of the key was deleted', async () => {
    const leaver = await service.addTenant();
    await leaver.delete(API.accounts.delete.path).expect(204);
    const { body } = await leaver.get(API.developer.listIndexes.path).expect(404);
    expect(body).toEqual({
      detail: `User account not found for user_account_id ${leaver.accountId}`,
      status_code: 404,
    });
  });

  it('SPEC 7: 404 "No API key found" when no key was ever created', async () => {
    const empty = await Service.start();
    for (const key of [newApiKey(), 'nonsense']) {
      const { body } = await empty.anonymous
        .get(API.developer.listIndexes.path)
        .set('api-key', key)
        .expect(404);
      expect(body).toEqual({ detail: 'No API key found', status_code: 404 });
    }
    const { body } = await empty.anonymous.get(API.developer.listIndexes.path).expect(401);
    expect(body).toEqual({ detail: 'API key missing', status_code: 401 });
    await empty.close();
  });
});
