import { newSpanId, newTraceId, ROUTES, routePath } from '@dacapo/protocol';
import { createHash, randomBytes } from 'node:crypto';
import { ndjson, score, span } from './records.js';
import type { Service, Tenant } from './service.js';

/** What a tenant owns: one of each. */
export interface Belongings {
  trace: string;
  span: string;
  run: string;
  index: string;
  apiKey: string;
  browserSession: string;
  member: string;
  /** A native function's name. */
  fn: string;
  /** Its name. */
  dataset: string;
  deletion: string;
  media: string;
}

export async function furnish(service: Service, tenant: Tenant): Promise<Belongings> {
  const stored = span();
  const bytes = randomBytes(20);
  const media = createHash('sha256').update(bytes).digest('hex');
  const attached = { id: media, trace_id: stored.trace_id, type: 'image/png', size: bytes.length };
  const record = JSON.stringify({ media: { ...attached, data: bytes.toString('base64') } });
  await tenant.ingest(`${record}\n${ndjson([{ span: stored }])}`).expect(200);
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
  const { body: deletion } = await tenant.post(ROUTES.deletions, { trace_ids: [newTraceId()] }).expect(201);
  await service.signIn(tenant.apiKey);
  const { body: member } = await tenant.post(ROUTES.members, { name: `Ann ${stored.id}`, role: 'viewer' });
  const { body: sessions } = await tenant.get(ROUTES.browserSessions);
  const { body: keys } = await tenant.get(ROUTES.apiKeys);
  return {
    trace: stored.trace_id,
    span: stored.id,
    run: run.id,
    index: index.index_id,
    apiKey: keys.items[0].id,
    browserSession: sessions.items[0].id,
    member: member.id,
    fn,
    dataset,
    deletion: deletion.id,
    media,
  };
}

/** Ids of the same shapes as those of {@link furnish}, of things that nobody owns. */
export function makeUnknownIds(): Belongings {
  const span = newSpanId();
  return {
    ...{ trace: newTraceId(), span, run: newTraceId(), index: 'scrape_999999999999' },
    ...{
      apiKey: newTraceId(),
      browserSession: newTraceId(),
      member: newTraceId(),
      fn: `Owned${span}`,
      dataset: `owned-${span}`,
      deletion: newTraceId(),
      media: createHash('sha256').update(span).digest('hex'),
    },
  };
}

export interface Call {
  method: 'get' | 'post' | 'delete';
  path: string;
  body?: object;
}

export const REMOTE = {
  url: 'https://docs.example/',
  kind: 'page',
  also: [],
  max_pages: 1,
  refreshed_at: '2026-01-01T00:00:00.000000Z',
  pages: [],
};

/** A call of every route that takes an id, in its path or in its body, with the ids given. */
export function callsWith(ids: Belongings): Call[] {
  const run = { id: ids.run };
  const item = { id: ids.run, item_no: '0' };
  const span = { id: ids.trace, span_id: ids.span };
  const index = { index_id: ids.index };
  const key = { trace_function_key: 'answer' };
  const get = (path: string): Call => ({ method: 'get', path });
  const post = (path: string, body: object = {}): Call => ({ method: 'post', path, body });
  const remove = (path: string): Call => ({ method: 'delete', path });
  return [
    get(routePath(ROUTES.trace, { id: ids.trace })),
    get(routePath(ROUTES.span, span)),
    get(routePath(ROUTES.descendants, span)),
    get(routePath(ROUTES.testRun, run)),
    get(`${routePath(ROUTES.compareTestRun, run)}?with=${ids.run}`),
    get(routePath(ROUTES.testRunCalls, run)),
    get(routePath(ROUTES.testRunItems, run)),
    post(routePath(ROUTES.testRunItems, run), {
      items: [{ item_no: 1, source_trace_id: ids.trace, source_span_id: ids.span }],
    }),
    get(routePath(ROUTES.testRunItem, item)),
    post(routePath(ROUTES.acceptTestRunItem, item)),
    remove(routePath(ROUTES.acceptTestRunItem, item)),
    post(routePath(ROUTES.testRunHeartbeat, run)),
    post(routePath(ROUTES.resumeTestRun, run)),
    post(routePath(ROUTES.finishTestRun, run)),
    post(routePath(ROUTES.indexDocuments, index), { documents: [] }),
    get(routePath(ROUTES.indexDocuments, index)),
    post(routePath(ROUTES.deleteDocuments, index), { sources: [] }),
    get(routePath(ROUTES.indexRemote, index)),
    post(routePath(ROUTES.indexRemote, index), REMOTE),
    remove(routePath(ROUTES.index, index)),
    get(routePath(ROUTES.functionVersions, { name: ids.fn })),
    get(routePath(ROUTES.functionVersion, { name: ids.fn, version: '1' })),
    post(routePath(ROUTES.activateFunction, { name: ids.fn }), { version: 1 }),
    get(routePath(ROUTES.dataset, { name: ids.dataset })),
    post(routePath(ROUTES.datasetVersions, { name: ids.dataset })),
    get(routePath(ROUTES.datasetItems, { name: ids.dataset, version: '1' })),
    remove(routePath(ROUTES.dataset, { name: ids.dataset })),
    get(routePath(ROUTES.deletion, { id: ids.deletion })),
    get(routePath(ROUTES.media, { id: ids.media })),
    post(routePath(ROUTES.rotateApiKey, { id: ids.apiKey })),
    remove(routePath(ROUTES.apiKey, { id: ids.apiKey })),
    post(routePath(ROUTES.memberRole, { id: ids.member }), { role: 'developer' }),
    post(routePath(ROUTES.memberLink, { id: ids.member })),
    remove(routePath(ROUTES.member, { id: ids.member })),
    remove(routePath(ROUTES.otherBrowserSession, { id: ids.browserSession })),
    post(ROUTES.getContext, { index_id: ids.index, query: 'x' }),
    post(ROUTES.testRuns, { ...key, dataset: { name: ids.dataset } }),
    post(ROUTES.testRuns, { ...key, baseline: { test_run_id: ids.run } }),
  ];
}
