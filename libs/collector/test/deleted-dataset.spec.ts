import { newTraceId, ROUTES, routePath } from '@dacapo/protocol';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Service } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

it('leaves nothing of a dataset on the disk when it is deleted', async () => {
  const dataDir = temporaryDirectory();
  const service = await Service.start({ dataDir });
  const tenant = await service.addTenant();
  const secrets = Array.from({ length: 40 }, (_, n) => `copied-${n}-${newTraceId()}`);
  const onDisk = (): number => {
    const bytes = readdirSync(dataDir).map((file) => readFileSync(join(dataDir, file), 'latin1'));
    return secrets.filter((secret) => bytes.some((text) => text.includes(secret))).length;
  };
  await tenant.post(ROUTES.datasets, { name: 'tickets' }).expect(201);
  const items = secrets.map((secret) => ({ input: [secret, 'x'.repeat(2000)] }));
  await tenant.post(routePath(ROUTES.datasetVersions, { name: 'tickets' }), { items }).expect(200);
  expect(onDisk()).toBe(40);
  await tenant.delete(routePath(ROUTES.dataset, { name: 'tickets' })).expect(204);
  expect(onDisk()).toBe(0);
  await service.close();
});
