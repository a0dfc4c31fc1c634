import { API, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { ManualClock } from './support/manual-clock.js';
import { span, spansToNdjson, startedAt } from './support/records.js';
import { Service } from './support/service.js';

it('a trace that a late record shows to be of a deleted session goes with its copies and replays', async () => {
  const service = await Service.start({ clock: new ManualClock() });
  const tenant = await service.addTenant();
  const inside = span({ span_data: { input: ['a secret'], output: 'a secret' } });
  const replay = span({ span_data: { input: ['a secret'], output: 'another' } });
  await tenant.store(inside, replay);
  const calls = {
    trace_function_key: inside.trace_function_key,
    selection: { trace_ids: [inside.trace_id] },
  };
  await tenant.post(API.datasets.create.path, { name: 'copies' }).expect(201);
  const versions = routePath(API.datasets.addVersion, { name: 'copies' });
  await tenant.post(versions, { from_calls: calls }).expect(200);
  const { body: run } = await tenant.post(API.testRuns.create.path, calls).expect(201);
  const items = routePath(API.testRuns.report, { id: run.id });
  const played = { source_trace_id: inside.trace_id, source_span_id: inside.id, result: 'another' };
  const made = { new_trace_id: replay.trace_id, new_span_id: replay.id };
  const item = { item_no: 0, verdict: 'changed', duration_ms: 5, ...played, ...made };
  await tenant.post(items, { items: [item] }).expect(200);

  await tenant.post(API.deletions.create.path, { session_id: 'ann' }).expect(201);
  await service.app.get(DeletionRunner).idle();
  const late = span({
    trace_id: inside.trace_id,
    session_id: 'ann',
    started_at: startedAt(1),
    ended_at: startedAt(2),
  });
  const { body } = await tenant.ingest(spansToNdjson([late])).expect(200);
  expect(body).toMatchObject({ dropped: 1 });
  expect((await tenant.get(API.traces.list.path).expect(200)).body.items).toEqual([]);
  const dataset = routePath(API.datasets.listItems, { name: 'copies', version: 'latest' });
  expect((await tenant.get(dataset).expect(200)).body.items).toMatchObject([{ input: [], erased: true }]);
  const [erased] = (await tenant.get(items).expect(200)).body.items;
  expect(erased).toMatchObject({ item_no: 0, erased: true });
  expect(JSON.stringify(erased)).not.toMatch(/secret|another/);
  await service.close();
});
