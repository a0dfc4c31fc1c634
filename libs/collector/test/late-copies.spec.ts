import { ROUTES, routePath } from '@dacapo/protocol';
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
  await tenant.post(ROUTES.datasets, { name: 'copies' }).expect(201);
  const versions = routePath(ROUTES.datasetVersions, { name: 'copies' });
  await tenant.post(versions, { from_calls: calls }).expect(200);
  const { body: run } = await tenant.post(ROUTES.testRuns, calls).expect(201);
  const items = routePath(ROUTES.testRunItems, { id: run.id });
  const played = { source_trace_id: inside.trace_id, source_span_id: inside.id, result: 'another' };
  const made = { new_trace_id: replay.trace_id, new_span_id: replay.id };
  const item = { item_no: 0, verdict: 'changed', duration_ms: 5, ...played, ...made };
  await tenant.post(items, { items: [item] }).expect(200);

  await tenant.post(ROUTES.deletions, { session_id: 'ann' }).expect(201);
  await service.app.get(DeletionRunner).idle();
  const late = span({
    trace_id: inside.trace_id,
    session_id: 'ann',
    started_at: startedAt(1),
    ended_at: startedAt(2),
  });
  const { body } = await tenant.ingest(spansToNdjson([late])).expect(200);
  expect(body).toMatchObject({ dropped: 1 });
  expect((await tenant.get(ROUTES.traces).expect(200)).body.items).toEqual([]);
  const dataset = routePath(ROUTES.datasetItems, { name: 'copies', version: 'latest' });
  expect((await tenant.get(dataset).expect(200)).body.items).toMatchObject([{ input: [], erased: true }]);
  const [erased] = (await tenant.get(items).expect(200)).body.items;
  expect(erased).toMatchObject({ item_no: 0, erased: true });
  expect(JSON.stringify(erased)).not.toMatch(/secret|another/);
  await service.close();
});
