/** The tests of services, on PostgreSQL. */
import type { Storage } from '@dacapo/collector/storage';
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { PostgresServer } from './support/postgres-server.js';
import { Service } from './support/service.js';
import './acceptance.spec.js';
import './access-routes.spec.js';
import './access.spec.js';
import './api-keys.spec.js';
import './audit-log.spec.js';
import './browser-session.spec.js';
import './compare-runs.spec.js';
import './costs.spec.js';
import './datasets.spec.js';
import './deletions.spec.js';
import './embeddings.spec.js';
import './export.spec.js';
import './functions.spec.js';
import './indexes.spec.js';
import './ingest.spec.js';
import './long-texts.spec.js';
import './long-traces.spec.js';
import './media.spec.js';
import './members.spec.js';
import './metrics.spec.js';
import './reading.spec.js';
import './retention.spec.js';
import './scores.spec.js';
import './test-runs.spec.js';
import './unknown-fields.spec.js';

let server: Promise<PostgresServer> | undefined;

// Started with the first service: the tests of the files above begin before hooks of this one.
Service.storage = async (): Promise<Storage> => {
  server ??= PostgresServer.start();
  return openPostgresStorage(await (await server).createDatabase());
};

afterAll(async () => {
  await (await server)?.stop();
});
