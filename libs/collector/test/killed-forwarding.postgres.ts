import { killWhileForwarding } from './support/kill-while-forwarding.js';
import { OwnPostgresServer } from './support/postgres-server.js';

describe('SIGKILL of one of two collectors that forward spans of one PostgreSQL', () => {
  let server: OwnPostgresServer;

  beforeAll(async () => {
    server = await OwnPostgresServer.start();
  });

  afterAll(() => server.stop());

  it('loses no acknowledged span', async () => {
    const address = await server.createDatabase();
    expect(await killWhileForwarding(address, { kills: 2, collectors: 2 })).toEqual([]);
  }, 600_000);
});
