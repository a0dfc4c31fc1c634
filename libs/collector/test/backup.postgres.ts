import { API, routePath } from '@dacapo/protocol/api';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { furnishOddly } from './support/odd-data.js';
import { PostgresServer } from './support/postgres-server.js';
import { span, spansToNdjson } from './support/records.js';
import { createTenant, Service, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const run = promisify(execFile);

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});

afterAll(() => server.stop());

const readAll = async ({ get }: Tenant): Promise<unknown[]> => [
  (await get(`${API.traces.list.path}?limit=200`).expect(200)).body,
  (await get(API.traces.listKeys.path).expect(200)).body,
  (await get(API.scores.list.path).expect(200)).body,
  (await get(routePath(API.datasets.listItems, { name: 'copies', version: 'latest' })).expect(200)).body,
  (await get(API.traces.export.path).buffer(true).expect(200)).text,
];

/** With the commands of docs/operations.md. */
it.each([
  ['another database', async () => server.createDatabase()],
  ['a database with newer data', async (source: string) => source],
])('what pg_dump saves while a collector runs, pg_restore brings back into %s', async (_, chooseTarget) => {
  const source = await server.createDatabase();
  const dump = join(temporaryDirectory(), 'dacapo.dump');
  const first = await Service.start({ storage: source });
  const tenant = await first.addTenant();
  await furnishOddly(tenant);
  const call = span();
  const erased = span({ session_id: 'a deleted session' });
  await tenant.store(call, erased);
  const calls = {
    trace_function_key: call.trace_function_key,
    selection: { trace_ids: [call.trace_id] },
  };
  await tenant.post(API.datasets.create.path, { name: 'copies' }).expect(201);
  const versions = routePath(API.datasets.addVersion, { name: 'copies' });
  await tenant.post(versions, { from_calls: calls }).expect(200);
  await tenant.post(API.deletions.create.path, { session_id: 'a deleted session' }).expect(201);
  await first.app.get(DeletionRunner).idle();
  const before = await readAll(tenant);
  await run('pg_dump', ['--format=custom', `--file=${dump}`, source]);
  await tenant.store(span(), span());
  await first.close();

  const target = await chooseTarget(source);
  await run('pg_restore', ['--clean', '--if-exists', `--dbname=${target}`, dump]);
  const second = await Service.start({ storage: target as `postgres://${string}` });
  const restored = createTenant(second.url, tenant.accountId, tenant.apiKey);
  expect(await readAll(restored)).toEqual(before);
  // The restored collector stores on, and remembers what was deleted.
  await restored.store(span());
  const { body } = await restored.ingest(spansToNdjson([erased])).expect(200);
  expect(body).toMatchObject({ dropped: 1 });
  await second.close();
});
