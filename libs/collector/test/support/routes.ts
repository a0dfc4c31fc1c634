import { ROUTES, routePath } from '@dacapo/protocol';
import { score, span } from './records.js';
import type { Tenant } from './service.js';

/** What a tenant owns: one of each. */
export interface Belongings {
  trace: string;
  span: string;
  run: string;
  index: string;
  apiKey: string;
  /** A native function's name. */
  fn: string;
  /** Its name. */
  dataset: string;
}

export async function furnish(tenant: Tenant): Promise<Belongings> {
  const stored = span();
  await tenant.store(stored);
  await tenant.post(ROUTES.scores, { scores: [score({ trace_id: stored.trace_id })] }).expect(200);
  const { body: run } = await tenant.post(ROUTES.testRuns, { trace_function_key: 'answer' });
  const item = { item_no: 0, source_trace_id: stored.trace_id, source_span_id: stored.id };
  await tenant.post(routePath(ROUTES.testRunItems, { id: run.id }), { items: [item] }).expect(200);
  const { body: index } = await tenant.post(ROUTES.indexes, { name: 'Docs', type: 'SDK' });
  const fn = `Owned${stored.id}`;
  const source = `function ${fn}(text: string) -> string {}`;
  await tenant.post(routePath(ROUTES.functionVersions, { name: fn }), { source }).expect(201);
  const dataset = `owned-${stored.id}`;
  await tenant.post(ROUTES.datasets, { name: dataset }).expect(201);
  const items = [{ input: ['question'] }];
  await tenant.post(routePath(ROUTES.datasetVersions, { name: dataset }), { items }).expect(200);
  const { body: keys } = await tenant.get(ROUTES.apiKeys);
  return {
    trace: stored.trace_id,
    span: stored.id,
    run: run.id,
    index: index.index_id,
    apiKey: keys.items[0].id,
    fn,
    dataset,
  };
}
