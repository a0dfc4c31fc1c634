import { newSpanId, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { AccountService } from '../src/accounts/account-service.js';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { RetentionService } from '../src/deletions/retention-service.js';
import { SpanStore } from '../src/storage/ports/span-store.js';
import { Connection } from '../src/storage/engines/sqlite/connection.js';
import { ManualClock } from './support/manual-clock.js';
import { score, span, startedAt } from './support/records.js';
import { Service, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

/** What a person said: it is in all that is stored of him. */
const MARKER = 'Zq7marker-of-ann';

/** Not the session: a deletion by one knows nothing of the other. */
const USER = `user-${MARKER}`;

/** A picture of the person. */
const IMAGE_BYTES = Buffer.from(`a picture with ${MARKER}`);
const IMAGE = {
  id: createHash('sha256').update(IMAGE_BYTES).digest('hex'),
  type: 'image/png',
  size: IMAGE_BYTES.length,
};

/** As it is in the index of texts. */
const WORD = 'zq7marker';

/** Every column that can hold what a trace says. Whoever adds one adds it here, and sees that deletion reaches it. */
const CARRIERS = [
  'accepted_outcomes.acceptance',
  'accepted_outcomes.outcome',
  'dataset_items.item',
  'deletions.record',
  'media.bytes',
  'metrics.trace_function_key',
  'payload_parts.json',
  'scores.record',
  'scores.target_id',
  'sessions.session_id',
  'span_payloads.contexts',
  'span_payloads.error',
  'span_payloads.input',
  'span_payloads.meta',
  'span_payloads.output',
  'span_payloads.prompt',
  'span_payloads.usage',
  'spans.error_preview',
  'spans.input_preview',
  'spans.model',
  'spans.name',
  'spans.output_preview',
  'test_run_items.record',
  'test_run_items.summary',
  'test_runs.selection',
  'trace_attributes.key',
  'trace_attributes.value',
  'trace_calls.trace_function_key',
  'trace_facets.facet',
  'trace_function_keys.trace_function_key',
  'trace_metrics.contribution',
  'traces.session_id',
  'traces.user_id',
  'spans.trace_function_key',
];

/** Tables of which no column is filled by traces: accounts and access, documents, functions, and what the store keeps of itself. */
const OF_NO_TRACE = [
  'accounts',
  'active_functions',
  'api_keys',
  'audit_log',
  'browser_sessions',
  'changed_traces',
  'media_uses',
  'members',
  'share_links',
  'dataset_members',
  'dataset_versions',
  'datasets',
  'deleted_groups',
  'deleted_traces',
  'documents',
  'function_activations',
  'function_versions',
  'payload_part_uses',
  'indexes',
  'ingest_batches',
  'schema_migrations',
  'section_vectors',
  'sections',
  'sign_in_tokens',
  'retention_rules',
  'sqlite_sequence',
  'tally',
  'test_run_selections',
  'transfers',
  // Ids of spans, and what people wrote about runs.
  'forwards',
  'skipped_spans',
  'ignored_paths',
  'test_run_decisions',
  'text_changes',
  'text_index',
  'text_queue',
  'commit_count',
  'deletion_counts',
  'lost_writes',
  'cut_texts',
  // Words, not texts: a word of ann is looked for in the bytes of the files.
  'span_text',
  'span_text_config',
  'span_text_data',
  'span_text_docsize',
  'span_text_idx',
  'span_words',
];

const KEY = 'answer';

/** All that can be made of what was recorded of ann. */
interface Made {
  own: SpanRecord;
  replay: SpanRecord;
  run: string;
  runOverDataset: string;
}

async function make(tenant: Tenant, withCopies = true): Promise<Made> {
  const data = {
    input: [MARKER],
    prompt: MARKER,
    contexts: [{ text: MARKER }, { text: `${'large '.repeat(500)}${MARKER}` }],
    usage: { model: MARKER },
    meta: { class: MARKER, input: { truncated: { '/0': { bytes: IMAGE.size, kept: 16, media: IMAGE } } } },
  };
  const of = { trace_function_key: KEY, session_id: MARKER, user_id: USER, name: MARKER };
  const own = span({ ...of, span_data: { ...data, output: MARKER } });
  const failed = span({
    ...of,
    trace_id: own.trace_id,
    parent_id: own.id,
    trace_function_key: `inner-${MARKER}`,
    status: 'error',
    span_data: { ...data, error: { name: 'Error', message: MARKER } },
  });
  const known = { ...own, trace_metadata: { [MARKER]: MARKER }, trace_contexts: { said: MARKER } };
  await tenant.store(known, failed);
  const media = { ...IMAGE, trace_id: own.trace_id, data: IMAGE_BYTES.toString('base64') };
  await tenant.ingest(JSON.stringify({ media })).expect(200, { accepted: 1, rejected: [] });
  const selection = { trace_ids: [own.trace_id], session_id: MARKER, name: MARKER, text: WORD };
  const { body: run } = await tenant
    .post(API.testRuns.create.path, { trace_function_key: KEY, selection })
    .expect(201);
  const replay = span({
    test_run_id: run.id,
    source_span_id: own.id,
    span_data: { ...data, output: MARKER },
  });
  await tenant.store(replay);
  const item = {
    item_no: 0,
    source_trace_id: own.trace_id,
    source_span_id: own.id,
    verdict: 'changed',
    new_trace_id: replay.trace_id,
    new_span_id: replay.id,
    result: MARKER,
    duration_ms: 5,
    session_id: MARKER,
    scores: [{ name: 'kind', value: MARKER }],
  };
  await tenant.post(routePath(API.testRuns.report, { id: run.id }), { items: [item] }).expect(200);
  const note = { explanation: MARKER };
  const scores = [
    score({ trace_id: own.trace_id, ...note }),
    score({ session_id: MARKER, ...note }),
    score({ test_run_id: run.id, item_no: 0, ...note }),
  ];
  await tenant.post(API.scores.add.path, { scores }).expect(200);
  if (!withCopies) return { own, replay, run: run.id, runOverDataset: '' };
  const accept = routePath(API.testRuns.accept, { id: run.id, item_no: '0' });
  await tenant.post(accept, { note: MARKER }).expect(200);
  await tenant.post(API.datasets.create.path, { name: 'd' }).expect(201);
  const versions = routePath(API.datasets.addVersion, { name: 'd' });
  await tenant.post(versions, { from_calls: { trace_function_key: KEY, selection } }).expect(200);
  await tenant.post(versions, { items: [{ input: ['kept'] }] }).expect(200);
  const over = { trace_function_key: KEY, dataset: { name: 'd' }, baseline: 'accepted' };
  const { body: second } = await tenant.post(API.testRuns.create.path, over).expect(201);
  const replayed = [
    { item_no: 0, verdict: 'changed', input: [MARKER], result: MARKER },
    { item_no: 1, verdict: 'changed', input: ['kept'], result: 'kept' },
  ];
  await tenant.post(routePath(API.testRuns.report, { id: second.id }), { items: replayed }).expect(200);
  await tenant.post(routePath(API.testRuns.accept, { id: second.id, item_no: '0' }), {}).expect(200);
  return { own, replay, run: run.id, runOverDataset: second.id };
}

describe('erasing a session', () => {
  const dataDir = temporaryDirectory();
  let service: Service;
  let tenant: Tenant;
  let made: Made;
  let before: string[];
  let filesWithWord: string[];
  let totals: object;

  const readItems = async (run: string) =>
    (await tenant.get(`${routePath(API.testRuns.listItems, { id: run })}?payloads=true`).expect(200)).body
      .items;

  beforeAll(async () => {
    service = await Service.start({ dataDir });
    tenant = await service.addTenant();
    made = await make(tenant);
    totals = (await tenant.get(routePath(API.testRuns.get, { id: made.run }))).body.totals;
    // A deletion that is not done knows the session, too.
    await service.app.get(DeletionRunner).beforeApplicationShutdown();
    await tenant.post(API.deletions.create.path, { session_id: MARKER }).expect(201);
    await service.app.get(SpanStore).deletions.settle(tenant.accountId);
    await tenant.get(`${API.traces.list.path}?text=${WORD}`).expect(200);
    before = await columnsWithMarker(dataDir);
    filesWithWord = filesWith(dataDir, WORD);
    await service.close();
    service = await Service.start({ dataDir });
    tenant = await service.withKey(tenant.accountId, 'ingest', 'read', 'replay', 'manage');
    await service.app.get(DeletionRunner).idle();
  });

  afterAll(() => service.close());

  it('reports what it deleted', async () => {
    const { body } = await tenant.get(API.deletions.list.path).expect(200);
    expect(body.items[0]).toMatchObject({
      state: 'done',
      counts: { traces: 2, spans: 3, scores: 3, dataset_items: 1, run_items: 2, accepted_outcomes: 2 },
    });
  });

  it('leaves no trace, and no replay of it', async () => {
    for (const { trace_id } of [made.own, made.replay]) {
      await tenant.get(routePath(API.traces.get, { id: trace_id })).expect(404);
    }
    expect((await tenant.get(API.traces.list.path)).body.items).toEqual([]);
    expect((await tenant.get(API.traces.listKeys.path)).body.items).toEqual([]);
    expect((await tenant.get(`${API.scores.list.path}?history=true`)).body.items).toEqual([]);
  });

  it('leaves a run whole: its totals stay, and its item is marked as erased', async () => {
    const { body: run } = await tenant.get(routePath(API.testRuns.get, { id: made.run })).expect(200);
    expect(run.totals).toEqual(totals);
    expect(run.selection.request).toEqual({ trace_ids: [made.own.trace_id] });
    const left = { item_no: 0, verdict: 'changed', duration_ms: 5, original_duration_ms: 1500, erased: true };
    expect(await readItems(made.run)).toEqual([left]);
    const { body: listed } = await tenant
      .get(routePath(API.testRuns.listItems, { id: made.run }))
      .expect(200);
    expect(listed.items).toEqual([left]);
    const accept = routePath(API.testRuns.accept, { id: made.run, item_no: '0' });
    expect((await tenant.post(accept, {}).expect(409)).body.detail).toContain('was erased');
  });

  it('leaves a dataset version whole: its item is marked as erased, and no run replays it', async () => {
    const items = routePath(API.datasets.listItems, { name: 'd', version: 'latest' });
    const { body } = await tenant.get(items).expect(200);
    expect(body.items).toEqual([
      { id: expect.any(String), input: [], erased: true },
      expect.objectContaining({ input: ['kept'] }),
    ]);
    const { body: run } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: KEY, dataset: { name: 'd' } })
      .expect(201);
    const { body: calls } = await tenant.get(routePath(API.testRuns.listCalls, { id: run.id })).expect(200);
    expect(calls.items).toEqual([
      { item_no: 0 },
      { item_no: 1, dataset_item: expect.objectContaining({ input: ['kept'] }) },
    ]);
    const [erased, kept] = await readItems(made.runOverDataset);
    expect(erased).toEqual({ item_no: 0, verdict: 'changed', erased: true });
    expect(kept).toMatchObject({ input: ['kept'], result: 'kept' });
  });

  it('prevents copies of late records', async () => {
    const source = { trace_id: made.own.trace_id, span_id: made.own.id };
    const items = [{ input: [MARKER], source }];
    await tenant.post(routePath(API.datasets.addVersion, { name: 'd' }), { items }).expect(200);
    const { body: run } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: KEY })
      .expect(201);
    const media = { ...IMAGE, trace_id: made.own.trace_id, data: IMAGE_BYTES.toString('base64') };
    await tenant.ingest(JSON.stringify({ media })).expect(200, { accepted: 1, rejected: [], dropped: 1 });
    const late = { item_no: 0, new_trace_id: made.replay.trace_id, new_span_id: newSpanId(), result: MARKER };
    const other = { item_no: 1, new_trace_id: newTraceId(), new_span_id: newSpanId(), result: 'kept' };
    const path = routePath(API.testRuns.report, { id: run.id });
    await tenant.post(path, { items: [late, other] }).expect(200);
    await tenant.post(path, { items: [late] }).expect(200);
    const [erased, kept] = await readItems(run.id);
    expect(erased).toEqual({ item_no: 0, verdict: 'unknown', erased: true });
    expect(kept).toMatchObject({ result: 'kept' });
    const { body: dataset } = await tenant.get(routePath(API.datasets.get, { name: 'd' })).expect(200);
    expect(dataset.item_count).toBe(2);
  });

  it('covers every column that can hold text of a trace', async () => {
    expect(before).toEqual([...CARRIERS].sort());
    const tables = new Set([...CARRIERS.map((column) => column.split('.')[0]!), ...OF_NO_TRACE]);
    const database = await open(dataDir);
    const all = await database.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
    await database.close();
    expect(all.map(({ name }) => name).sort()).toEqual([...tables].sort());
  });

  it('leaves no word of it in the text index', async () => {
    expect(filesWithWord).not.toEqual([]);
    await tenant.post(API.deletions.create.path, { trace_ids: [newTraceId()] }).expect(201);
    await service.app.get(DeletionRunner).idle();
    expect(filesWith(dataDir, WORD)).toEqual([]);
    const { body } = await tenant.get(`${API.traces.list.path}?text=${WORD}`).expect(200);
    expect(body).toEqual({ items: [] });
  });

  it('leaves no byte of it in any column or file', async () => {
    expect(await columnsWithMarker(dataDir)).toEqual([]);
    await service.app.get(DeletionRunner).idle();
    const remaining = filesWith(dataDir, MARKER);
    // What came late was refused in a write that the log may still hold: only a deletion empties it.
    await tenant.post(API.deletions.create.path, { trace_ids: [newTraceId()] }).expect(201);
    await service.app.get(DeletionRunner).idle();
    const left = filesWith(dataDir, MARKER);
    expect({ remaining: remaining.filter((name) => !name.endsWith('-wal')), left }).toEqual({
      remaining: [],
      left: [],
    });
  });
});

/** Each way to delete, and what it leaves on purpose. */
const WAYS: [
  way: string,
  withCopies: boolean,
  remove: (service: Service, tenant: Tenant, made: Made) => Promise<unknown>,
][] = [
  [
    'by trace',
    true,
    (_, tenant, { own }) => tenant.post(API.deletions.create.path, { trace_ids: [own.trace_id] }).expect(201),
  ],
  [
    'by session',
    true,
    (_, tenant) => tenant.post(API.deletions.create.path, { session_id: MARKER }).expect(201),
  ],
  ['by user', true, (_, tenant) => tenant.post(API.deletions.create.path, { user_id: USER }).expect(201)],
  [
    'by key',
    true,
    (_, tenant) => tenant.post(API.deletions.create.path, { trace_function_key: KEY }).expect(201),
  ],
  [
    'by retention',
    false,
    async (service, tenant) => {
      await tenant.post(API.retention.set.path, { days: 1 }).expect(200);
      CLOCK.advance(10 * 24 * 3600);
      await service.app.get(RetentionService).apply();
    },
  ],
  [
    'with the account',
    true,
    async (service, tenant) => {
      await tenant.post(API.apiKeys.create.path, { name: MARKER, scopes: ['read'] }).expect(201);
      await tenant.post(API.members.invite.path, { name: MARKER, role: 'viewer' }).expect(201);
      await tenant.post(API.datasets.create.path, { name: `d-${WORD}`, description: MARKER });
      await tenant.post(API.retention.set.path, { trace_function_key: MARKER, days: 4000 }).expect(200);
      await tenant
        .post(API.deletions.create.path, { session_id: `of ${MARKER}`, before: startedAt(1) })
        .expect(201);
      await service.app.get(AccountService).delete(tenant.accountId);
    },
  ],
];

const CLOCK = new ManualClock();

describe('the bytes of deleted data', () => {
  it.each(WAYS)('are in no file: %s', async (_, withCopies, remove) => {
    const dataDir = temporaryDirectory();
    const service = await Service.start({ dataDir, clock: CLOCK });
    try {
      const [tenant, other] = [await service.addTenant(), await service.addTenant()];
      const made = await make(tenant, withCopies);
      // Neighbours on the same pages, which move when others are deleted.
      const neighbours = Array.from({ length: 40 }, (__, index) =>
        span({ name: `n${index}`, span_data: { input: ['n'.repeat(index * 97)] } }),
      );
      await other.store(...neighbours);
      await tenant.get(`${API.traces.list.path}?text=${WORD}`).expect(200);
      expect(filesWith(dataDir, MARKER)).not.toEqual([]);
      await remove(service, tenant, made);
      await service.app.get(DeletionRunner).idle();
      expect(await columnsWithMarker(dataDir)).toEqual([]);
      expect(filesWith(dataDir, MARKER)).toEqual([]);
      expect(filesWith(dataDir, WORD)).toEqual([]);
    } finally {
      await service.close();
    }
  });

  it('are erased after a reader releases the log: the deletion reports it, and nobody else waits', async () => {
    const dataDir = temporaryDirectory();
    const service = await Service.start({ dataDir });
    try {
      const [tenant, other] = [await service.addTenant(), await service.addTenant()];
      const { own } = await make(tenant);
      const reader = new Database(join(dataDir, 'dacapo.db'));
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM spans').all([]);
      const { body: begun } = await tenant
        .post(API.deletions.create.path, { trace_ids: [own.trace_id], session_id: MARKER })
        .expect(201);
      const read = async () => (await tenant.get(routePath(API.deletions.get, { id: begun.id }))).body;
      while ((await read()).waiting_for === undefined) await sleep(20);
      expect(await read()).toMatchObject({
        state: 'running',
        waiting_for: expect.stringContaining('reader'),
        counts: { traces: 2 },
      });
      await tenant.get(routePath(API.traces.get, { id: own.trace_id })).expect(404);
      for (let batches = 0; batches < 50; batches++) await other.store(span());
      expect((await read()).state).toBe('running');
      reader.exec('ROLLBACK');
      reader.close();
      while ((await read()).state !== 'done') await sleep(20);
      expect(await read()).not.toHaveProperty('waiting_for');
      expect(filesWith(dataDir, MARKER)).toEqual([]);
    } finally {
      await service.close();
    }
  });
});

function filesWith(dataDir: string, text: string): string[] {
  return readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(text));
}

function open(dataDir: string): Promise<Connection> {
  const path = readdirSync(dataDir).find((name) => name.endsWith('.db')) ?? '';
  return Connection.open({ path: join(dataDir, path), pragmas: ['query_only = ON'] });
}

async function columnsWithMarker(dataDir: string): Promise<string[]> {
  const database = await open(dataDir);
  const columns = await database.all<{ table: string; column: string }>(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t CROSS JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table'`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const [row] = await database.all<{ n: number }>(
      `SELECT count(*) AS n FROM "${table}" WHERE instr(CAST("${column}" AS TEXT), ?) > 0`,
      [MARKER],
    );
    if ((row?.n ?? 0) > 0) found.push(`${table}.${column}`);
  }
  await database.close();
  return found.sort();
}
