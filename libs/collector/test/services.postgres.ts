/** The tests of services, on PostgreSQL. */
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { PostgresServer } from './support/postgres-server.js';
import { storeServicesIn } from './support/service-databases.js';
import './support/service-tests.js';

storeServicesIn(
  () => PostgresServer.start(),
  (address) => openPostgresStorage(address),
);
