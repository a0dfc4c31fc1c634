import type { Storage, StorageFactory } from '@dacapo/collector/storage';
import { Service } from './service.js';

interface DatabaseServer<Address> {
  createDatabase(): Promise<Address>;
  stop(): Promise<void>;
}

/**
 * Has the services of a test file store their data on a server of their own: each data directory has a database, which a service that starts
 * again finds again.
 */
export function storeServicesIn<Address>(
  start: () => Promise<DatabaseServer<Address>>,
  open: (address: Address, context: Parameters<StorageFactory>[0]) => Promise<Storage>,
): void {
  let server: Promise<DatabaseServer<Address>> | undefined;
  const databases = new Map<string, Promise<Address>>();

  // The server starts with the first service, because tests of imported files begin before hooks of the importing one.
  Service.storage = async (context) => {
    const started = (server ??= start());
    const database = databases.get(context.dataDir) ?? started.then((running) => running.createDatabase());
    databases.set(context.dataDir, database);
    return open(await database, context);
  };

  afterAll(async () => {
    await (await server)?.stop();
  });
}
