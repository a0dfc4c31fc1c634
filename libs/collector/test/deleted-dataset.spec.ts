import { newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
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
  await tenant.post(API.datasets.create.path, { name: 'tickets' }).expect(201);
  const items = secrets.map((secret) => ({ input: [secret, 'x'.repeat(2000)] }));
  await tenant.post(routePath(API.datasets.addVersion, { name: 'tickets' }), { items }).expect(200);
  expect(onDisk()).toBe(40);
  await tenant.delete(routePath(API.datasets.delete, { name: 'tickets' })).expect(204);
  expect(onDisk()).toBe(0);
  await service.close();
});
