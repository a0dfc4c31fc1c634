import { API, routePath } from '@dacapo/protocol/api';
import { join } from 'node:path';
import { Connection } from '../src/storage/engines/sqlite/connection.js';
import { span } from './support/records.js';
import { Service } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

it('a changed payload is not shown: the span answers 503, and others can be read', async () => {
  const dataDir = temporaryDirectory();
  const service = await Service.start({ dataDir });
  const tenant = await service.addTenant();
  const large = { input: [{ text: 'part '.repeat(2000) }], output: 'fine' };
  const [changed, part, sound] = [
    span({ span_data: { input: ['fine'], output: 'fine' } }),
    span({ span_data: large }),
    span({ span_data: { output: 'fine' } }),
  ];
  await tenant.store(changed, part, sound);
  const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
  const change = (sql: string) => database.write([{ sql, rows: [[]] }]);
  await change(`UPDATE span_payloads SET input = replace(input, 'fine', 'fake')`);
  await change(`UPDATE payload_parts SET json = replace(json, 'part', 'pert')`);
  await database.close();
  const read = (one: typeof changed) =>
    tenant.get(routePath(API.traces.getSpan, { id: one.trace_id, span_id: one.id }));
  expect((await read(changed)).status).toBe(503);
  expect((await read(part)).status).toBe(503);
  expect((await read(sound)).status).toBe(200);
  await service.close();
});
