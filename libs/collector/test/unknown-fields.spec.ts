import { LIMITS } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { gzipSync } from 'node:zlib';
import { score, span } from './support/records.js';
import { runService, type Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

runService((opened, account) => {
  service = opened;
  tenant = account;
});

describe('an unknown field of a command', () => {
  it.each<[string, string, object, string]>([
    [
      'of a key that would never expire',
      API.apiKeys.list.path,
      { name: 'k', expire_at: '2030-01-01T00:00:00Z' },
      'expires_at',
    ],
    ['of a deletion', API.deletions.create.path, { trace_ids: [], sesion_id: 's' }, 'session_id'],
    [
      'inside a selection',
      API.testRuns.create.path,
      { trace_function_key: 'k', selection: { sinze: 'x' } },
      'since',
    ],
    [
      'inside a baseline',
      API.testRuns.create.path,
      { trace_function_key: 'k', baseline: { test_runid: 'x' } },
      'test_run_id',
    ],
    [
      'inside an item of a list',
      routePath(API.datasets.addVersion, { name: 'd' }),
      { items: [{ inputs: [] }] },
      'input',
    ],
  ])('is refused, with the nearest one: %s', async (_, path, body, nearest) => {
    const { body: answer } = await tenant.post(path, body).expect(400);
    expect(answer.detail).toMatch(/^Unknown field "/);
    expect(answer.detail).toContain(`Did you mean "${nearest}"?`);
  });

  it('is accepted where names belong to the caller, and in records', async () => {
    const selection = { metadata: { anything: 1 } };
    await tenant.post(API.testRuns.create.path, { trace_function_key: 'k', selection }).expect(201);
    const stored = span();
    await tenant.ingest(`${JSON.stringify({ span: { ...stored, field_of_later: 1 } })}\n`).expect(200);
    await tenant
      .post(API.scores.add.path, { scores: [{ ...score({ trace_id: stored.trace_id }), field_of_later: 1 }] })
      .expect(200);
  });
});

describe('a body of many lines', () => {
  it('is refused though they are blank and it is small', async () => {
    const blank = gzipSync('\n'.repeat(LIMITS.bodyLines * 3));
    expect(blank.length).toBeLessThan(10_000);
    const { status, body } = await service.anonymous
      .post(API.ingest.send.path)
      .set('api-key', tenant.apiKey)
      .set('content-type', 'application/x-ndjson')
      .set('content-encoding', 'gzip')
      .serialize((value: unknown) => value as string)
      .send(blank as unknown as string);
    expect([status, body.detail]).toEqual([413, expect.stringContaining('lines')]);
  });
});
