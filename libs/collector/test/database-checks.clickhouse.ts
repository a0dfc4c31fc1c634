import { createClient } from '@clickhouse/client';
import { checkDatabases } from '@dacapo/collector';
import { toLogin } from '../src/storage/engines/clickhouse/address.js';
import { ClickHouseServer } from './support/clickhouse-server.js';

let server: ClickHouseServer;

beforeAll(async () => {
  server = await ClickHouseServer.start();
});

afterAll(() => server.stop());

it('the checks of a ClickHouse server report its version, and logs that grow without a limit', async () => {
  const spans = await server.createDatabase();
  expect(await checkDatabases({ spans })).toMatchObject([
    { name: 'ClickHouse version', isOk: true },
    { name: 'ClickHouse logs' },
  ]);
  const client = createClient(toLogin(spans));
  await client.command({
    query:
      'CREATE TABLE IF NOT EXISTS system.a_test_log(event_date Date) ENGINE = MergeTree ORDER BY event_date',
  });
  const findLogs = async () =>
    (await checkDatabases({ spans })).find(({ name }) => name === 'ClickHouse logs')?.detail;
  try {
    expect(await findLogs()).toContain('a_test_log');
    await client.command({
      query: 'ALTER TABLE system.a_test_log MODIFY TTL event_date + INTERVAL 7 DAY',
    });
    expect(await findLogs()).not.toContain('a_test_log');
  } finally {
    await client.command({ query: 'DROP TABLE IF EXISTS system.a_test_log' });
    await client.close();
  }
});
