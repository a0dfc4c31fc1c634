import { newSpanId, newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
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
  shareLink: string;
}

export async function furnish(service: Service, tenant: Tenant): Promise<Belongings> {
  const stored = span();
  const bytes = randomBytes(20);
  const media = createHash('sha256').update(bytes).digest('hex');
  const attached = { id: media, trace_id: stored.trace_id, type: 'image/png', size: bytes.length };
  const record = JSON.stringify({ media: { ...attached, data: bytes.toString('base64') } });
  await tenant.ingest(`${record}\n${ndjson([{ span: stored }])}`).expect(200);
  await tenant.post(API.scores.add.path, { scores: [score({ trace_id: stored.trace_id })] }).expect(200);
  const { body: run } = await tenant.post(API.testRuns.create.path, { trace_function_key: 'answer' });
  const item = { item_no: 0, source_trace_id: stored.trace_id, source_span_id: stored.id };
  await tenant.post(routePath(API.testRuns.report, { id: run.id }), { items: [item] }).expect(200);
  const { body: index } = await tenant.post(API.indexes.create.path, { name: 'Docs', type: 'SDK' });
  const fn = `Owned${stored.id}`;
  const source = `function ${fn}(text: string) -> string {}`;
  await tenant.post(routePath(API.functions.push, { name: fn }), { source }).expect(201);
  const dataset = `owned-${stored.id}`;
  await tenant.post(API.datasets.create.path, { name: dataset }).expect(201);
  const items = [{ input: ['question'] }];
  await tenant.post(routePath(API.datasets.addVersion, { name: dataset }), { items }).expect(200);
  const { body: deletion } = await tenant
    .post(API.deletions.create.path, { trace_ids: [newTraceId()] })
    .expect(201);
  await service.signIn(tenant.apiKey);
  const { body: member } = await tenant.post(API.members.invite.path, {
    name: `Ann ${stored.id}`,
    role: 'viewer',
  });
  const { body: shareLink } = await tenant
    .post(API.shareLinks.create.path, { trace_id: stored.trace_id })
    .expect(201);
  const { body: sessions } = await tenant.get(API.browserSessions.list.path);
  const { body: keys } = await tenant.get(API.apiKeys.list.path);
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
    shareLink: shareLink.id,
  };
}

/** Ids of the same shapes as those of {@link furnish}, of things that nobody owns. */
export function makeUnknownIds(): Belongings {
  const span = newSpanId();
  return {
    trace: newTraceId(),
    span,
    run: newTraceId(),
    index: 'scrape_999999999999',
    apiKey: newTraceId(),
    browserSession: newTraceId(),
    member: newTraceId(),
    fn: `Owned${span}`,
    dataset: `owned-${span}`,
    deletion: newTraceId(),
    media: createHash('sha256').update(span).digest('hex'),
    shareLink: newTraceId(),
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
    get(routePath(API.traces.get, { id: ids.trace })),
    get(routePath(API.traces.getSpan, span)),
    get(routePath(API.calls.listDescendants, span)),
    get(routePath(API.testRuns.get, run)),
    get(`${routePath(API.testRuns.compare, run)}?with=${ids.run}`),
    get(`${API.testRuns.compareAll.path}?ids=${ids.run}`),
    get(routePath(API.decisions.list, run)),
    post(routePath(API.decisions.decide, run), { after: 0, ignore: ['$.version'] }),
    get(routePath(API.testRuns.listCalls, run)),
    get(routePath(API.testRuns.listItems, run)),
    post(routePath(API.testRuns.report, run), {
      items: [{ item_no: 1, source_trace_id: ids.trace, source_span_id: ids.span }],
    }),
    get(routePath(API.testRuns.getItem, item)),
    post(routePath(API.testRuns.accept, item)),
    remove(routePath(API.testRuns.accept, item)),
    post(routePath(API.testRuns.beat, run)),
    post(routePath(API.testRuns.resume, run)),
    post(routePath(API.testRuns.finish, run)),
    post(routePath(API.indexes.addDocuments, index), { documents: [] }),
    get(routePath(API.indexes.documents, index)),
    post(routePath(API.indexes.deleteDocuments, index), { sources: [] }),
    get(routePath(API.indexes.remote, index)),
    post(routePath(API.indexes.setRemote, index), REMOTE),
    remove(routePath(API.indexes.delete, index)),
    get(routePath(API.functions.listVersions, { name: ids.fn })),
    get(routePath(API.functions.get, { name: ids.fn, version: '1' })),
    post(routePath(API.functions.activate, { name: ids.fn }), { version: 1 }),
    get(routePath(API.datasets.get, { name: ids.dataset })),
    post(routePath(API.datasets.addVersion, { name: ids.dataset })),
    get(routePath(API.datasets.listItems, { name: ids.dataset, version: '1' })),
    remove(routePath(API.datasets.get, { name: ids.dataset })),
    get(routePath(API.deletions.get, { id: ids.deletion })),
    get(routePath(API.media.get, { id: ids.media })),
    post(routePath(API.apiKeys.rotate, { id: ids.apiKey })),
    remove(routePath(API.apiKeys.revoke, { id: ids.apiKey })),
    post(routePath(API.members.changeRole, { id: ids.member }), { role: 'developer' }),
    post(routePath(API.members.createLink, { id: ids.member })),
    remove(routePath(API.members.remove, { id: ids.member })),
    remove(routePath(API.browserSessions.end, { id: ids.browserSession })),
    post(API.shareLinks.create.path, { trace_id: ids.trace }),
    post(API.shareLinks.create.path, { test_run_id: ids.run }),
    remove(routePath(API.shareLinks.revoke, { id: ids.shareLink })),
    post(API.developer.getContext.path, { index_id: ids.index, query: 'x' }),
    post(API.testRuns.create.path, { ...key, dataset: { name: ids.dataset } }),
    post(API.testRuns.create.path, { ...key, baseline: { test_run_id: ids.run } }),
  ];
}
