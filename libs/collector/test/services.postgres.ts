/** The tests of services, on PostgreSQL. */
import type { Storage } from '@dacapo/collector/storage';
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { PostgresServer } from './support/postgres-server.js';
import { Service } from './support/service.js';
import './support/service-tests.js';

let server: Promise<PostgresServer> | undefined;

// Started with the first service: the tests of the files above begin before hooks of this one.
Service.storage = async (): Promise<Storage> => {
  server ??= PostgresServer.start();
  return openPostgresStorage(await (await server).createDatabase());
};

afterAll(async () => {
  await (await server)?.stop();
});
