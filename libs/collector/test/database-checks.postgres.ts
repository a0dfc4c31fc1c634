import { checkDatabases } from '@dacapo/collector';
import { OwnPostgresServer, queryDatabase } from './support/postgres-server.js';

let server: OwnPostgresServer;
let storage: string;

beforeAll(async () => {
  server = await OwnPostgresServer.start();
  storage = await server.createDatabase();
});

afterAll(() => server.stop());

const findFailure = async (name: string, storageConnections?: number): Promise<string | undefined> => {
  const checks = await checkDatabases({ storage, ...(storageConnections && { storageConnections }) });
  return checks.find((check) => check.name === name && !check.isOk)?.detail;
};

describe('the checks of a PostgreSQL server', () => {
  it('pass on a new one', async () => {
    expect(await checkDatabases({ storage })).toMatchObject([
      { name: 'PostgreSQL version', isOk: true, detail: expect.stringMatching(/^\d+\.\d+$/) },
      { name: 'PostgreSQL connections', isOk: true },
      { name: 'PostgreSQL vacuum', isOk: true },
      { name: 'PostgreSQL transactions', isOk: true },
    ]);
  });

  it('fail when it accepts fewer connections than a collector opens', async () => {
    expect(await findFailure('PostgreSQL connections', 500)).toBe(
      'PostgreSQL accepts 497, but one collector opens up to 505. Raise max_connections, or pass --storage-connections 492 to doctor and serve.',
    );
  });

  it('fail when autovacuum is off', async () => {
    await queryDatabase(storage, 'ALTER SYSTEM SET autovacuum = off');
    await queryDatabase(storage, 'SELECT pg_reload_conf()');
    // A new connection may still see the old value for a moment.
    let failure: string | undefined;
    while (failure === undefined) failure = await findFailure('PostgreSQL vacuum');
    expect(failure).toContain('Set autovacuum = on.');
  });

  it('fail with the reason when it does not answer, without the password', async () => {
    const checks = await checkDatabases({ storage: 'postgres://dacapo:zq7secret@127.0.0.1:1/dacapo' });
    expect(checks).toEqual([
      { name: 'PostgreSQL', isOk: false, detail: expect.stringContaining('Check that PostgreSQL runs') },
    ]);
    expect(JSON.stringify(checks)).not.toContain('zq7secret');
  });
});
