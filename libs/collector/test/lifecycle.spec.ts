import {
  CannotListenError,
  DatabaseTooNewError,
  DataDirectoryInUseError,
  DataDirectoryNotWritableError,
  InvalidOptionError,
  PortInUseError,
  type RunningCollector,
  startCollector,
  SystemClock,
} from '@dacapo/collector';
import { API } from '@dacapo/protocol/api';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { Connection } from '../src/storage/engines/sqlite/connection.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { span, spansToNdjson } from './support/records.js';
import { SILENT, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const running: RunningCollector[] = [];

const start = async (options: Parameters<typeof startCollector>[0] = {}): Promise<RunningCollector> => {
  const collector = await startCollector({
    port: 0,
    dataDir: join(temporaryDirectory(), 'data'),
    logger: SILENT,
    ...options,
  });
  running.push(collector);
  return collector;
};

afterEach(async () => {
  for (const collector of running.splice(0)) await collector.close();
});

describe('the first start', () => {
  it('creates an account and a key, and prints the key', async () => {
    const { url, apiKey } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await request(url)
      .get(API.accounts.get.path)
      .set('api-key', apiKey ?? '')
      .expect(200);
  });

  it('prints a link that signs a browser in', async () => {
    const { url, dashboardUrl } = await start();
    expect(dashboardUrl.startsWith(`${url}/sign-in?token=`)).toBe(true);
    await request(url).get(dashboardUrl.slice(url.length)).expect(303).expect('location', '/');
  });

  it('makes directory and database readable by this user only', async () => {
    const dataDir = join(temporaryDirectory(), 'a', 'b');
    await start({ dataDir });
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(dataDir, '.gitignore'), 'utf8')).toBe('*\n');
    for (const file of readdirSync(dataDir)) {
      expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
  });
});

describe('a restart', () => {
  it('keeps all data, and prints no key again', async () => {
    const dataDir = temporaryDirectory();
    const first = await start({ dataDir });
    const stored = span();
    const headers = { 'api-key': first.apiKey ?? '', 'dacapo-batch-id': 'b-1' };
    await request(first.url)
      .post(API.ingest.send.path)
      .set(headers)
      .send(spansToNdjson([stored]))
      .expect(200);
    await first.close();

    const second = await start({ dataDir });
    expect(second).not.toHaveProperty('apiKey');
    const tenant = createTenant(second.url, '', first.apiKey ?? '');
    const path = `${API.traces.list.path}/${stored.trace_id}/spans/${stored.id}`;
    expect((await tenant.get(path).expect(200)).body).toEqual(stored);
    const again = await tenant.ingest(spansToNdjson([stored]), { 'dacapo-batch-id': 'b-1' }).expect(200);
    expect(again.body.duplicate).toBe(true);
  });

  it('makes a new account when the only one was deleted, and remembers its keys (SPEC 7)', async () => {
    const dataDir = temporaryDirectory();
    const first = await start({ dataDir });
    const old = first.apiKey ?? '';
    const { body: account } = await request(first.url).get(API.accounts.get.path).set('api-key', old);
    await request(first.url).delete(API.accounts.delete.path).set('api-key', old).expect(204);
    await first.close();
    const second = await start({ dataDir });
    expect(second.apiKey).toMatch(/^dcp_/);
    const { body } = await request(second.url)
      .get(API.developer.listIndexes.path)
      .set('api-key', old)
      .expect(404);
    expect(body.detail).toBe(`User account not found for user_account_id ${account.id}`);
  });
});

describe('closing', () => {
  it('commits running writes, then releases port and data', async () => {
    const dataDir = temporaryDirectory();
    const first = await start({ dataDir });
    const tenant = createTenant(first.url, '', first.apiKey ?? '');
    const batches = Array.from({ length: 30 }, () => [span({ span_data: { output: 'x'.repeat(50_000) } })]);
    const answers = batches.map((spans) =>
      tenant.ingest(spansToNdjson(spans)).then(
        ({ status }) => status,
        () => undefined,
      ),
    );
    await answers[0];
    await first.close();
    const statuses = await Promise.all(answers);

    const second = await start({ dataDir, port: Number(new URL(first.url).port) });
    const reader = createTenant(second.url, '', first.apiKey ?? '');
    for (const [index, [stored]] of batches.entries()) {
      if (statuses[index] !== 200) continue;
      await reader.get(`${API.traces.list.path}/${stored?.trace_id ?? ''}`).expect(200);
    }
    expect(statuses).toContain(200);
  });

  it('can be closed twice', async () => {
    const collector = await start();
    await Promise.all([collector.close(), collector.close()]);
    await collector.close();
  });
});

describe('a failed start reports the cause and the cure', () => {
  it('a port in use', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    const second = start({ port });
    await expect(second).rejects.toThrow(PortInUseError);
    await expect(second).rejects.toMatchObject({
      code: 'COLLECTOR_PORT_IN_USE',
      message: `Port ${port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another port. Port 0 picks a free one.`,
    });
  });

  it('an address of another machine', async () => {
    const started = start({ host: '192.0.2.1' });
    await expect(started).rejects.toThrow(CannotListenError);
    await expect(started).rejects.toThrow(/Choose an address of this machine/);
  });

  it('a data directory that another collector uses, until that one is closed', async () => {
    const dataDir = temporaryDirectory();
    const first = await start({ dataDir });
    const second = start({ dataDir });
    await expect(second).rejects.toThrow(DataDirectoryInUseError);
    await expect(second).rejects.toThrow(/Stop it, or use another directory/);
    await first.close();
    await start({ dataDir });
  });

  it('a data directory that cannot be written', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const started = start({ dataDir: join(file, 'data') });
    await expect(started).rejects.toThrow(DataDirectoryNotWritableError);
    await expect(started).rejects.toThrow(/Make it writable for this user, or choose another one/);
  });

  it('a database of a later version', async () => {
    const dataDir = temporaryDirectory();
    await (await openSqliteStorage(dataDir, new SystemClock())).close();
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    await database.write([{ sql: "INSERT INTO schema_migrations VALUES (99, 'later', 1)", rows: [[]] }]);
    await database.close();
    await expect(start({ dataDir })).rejects.toThrow(DatabaseTooNewError);
  });

  it.each([
    [
      'port',
      { port: -1 },
      'Option port must be a whole number from 0 to 65535, not -1. Port 0 picks a free one.',
    ],
    ['port', { port: 1.5 }, 'Option port must be a whole number'],
    ['dataDir', { dataDir: ' ' }, 'Option dataDir is blank.'],
    [
      'publicUrl',
      { publicUrl: 'dacapo.example.com' },
      'Option publicUrl must be an absolute http or https address',
    ],
    ['publicUrl', { publicUrl: 'ftp://x' }, 'Option publicUrl must be an absolute http or https address'],
  ])('a bad %s (%#)', async (option, options, message) => {
    const started = start(options);
    await expect(started).rejects.toThrow(InvalidOptionError);
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toMatchObject({ option });
  });
});
