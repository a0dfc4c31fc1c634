import { type CollectorOptions, migrateStorage, type StoragePlace } from '@dacapo/collector';
import { HEADERS, newSpanId, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, type Route, routePath } from '@dacapo/protocol/api';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { OtlpReceiver } from '../../../../test/support/otlp-receiver.js';
import { until } from '../../../../test/support/until.js';
import { DeletionRunner } from '../../src/deletions/deletion-runner.js';
import { MetaStore } from '../../src/storage/meta/meta-store.js';
import { ManualClock } from './manual-clock.js';
import { furnishOddly } from './odd-data.js';
import { ndjson, span, spansToNdjson } from './records.js';
import { createTenant, Service, SILENT, type Tenant } from './service.js';

export interface Places {
  from: StoragePlace;
  to: StoragePlace;
}

/** What a client knows of its account. */
interface Known {
  accountId: string;
  apiKey: string;
  image: string;
  erased: SpanRecord;
  /** A finished run that was decided. */
  run: string;
  /** Waits to be forwarded. */
  call: SpanRecord;
}

const DELETED_SESSION = 'a deleted session';

/** Nothing answers there, so spans wait to be forwarded. */
const AWAY = { url: 'http://127.0.0.1:9' };

/** Of a gate that allows no change. */
const CHECKS = ['minItems', 'complete', 'newErrors', 'changed'].map((name) => ({
  name,
  limit: 'a limit',
  measured: 'measured',
  passed: name !== 'changed',
  failures: [],
}));

/** Vectors need an embedder. */
const EMPTY_TABLES = ['section_vectors'];

/** A span without AI content: only its place is kept. */
const SKIPPED_SPAN = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: newTraceId().replaceAll('-', ''),
              spanId: newSpanId(),
              parentSpanId: newSpanId(),
              name: 'GET /tickets',
              startTimeUnixNano: '1769904000000000000',
              endTimeUnixNano: '1769904001000000000',
            },
          ],
        },
      ],
    },
  ],
};

/** Each test runs several services and processes, one after the other. */
const TIMEOUT_MS = 600_000;

/** Everything of an account that lists show. */
const LISTS = [
  API.accounts.get.path,
  API.apiKeys.list.path,
  API.audit.list.path,
  API.datasets.create.path,
  API.deletions.create.path,
  API.functions.list.path,
  API.indexes.list.path,
  API.members.list.path,
  API.retention.get.path,
  API.scores.add.path,
  API.traces.listSessions.path,
  API.testRuns.create.path,
  API.traces.listKeys.path,
  `${API.traces.list.path}?limit=200`,
  `${API.metrics.read.path}?since=2026-01-31T00:00:00Z&until=2026-02-01T00:00:00Z&bucket=hour`,
  routePath(API.datasets.listItems, { name: 'tickets', version: 'latest' }),
];

/** Runs `use` on a service that stores there, which stops afterwards. */
async function withService<T>(
  place: StoragePlace,
  use: (service: Service) => Promise<T>,
  options: CollectorOptions = {},
): Promise<T> {
  const service = await Service.start({
    ...place,
    ...options,
    clock: new ManualClock(),
    publicUrl: 'https://dacapo.test',
  });
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

/** Fills a storage with something of everything, and deletes a trace and a session of it. */
function furnish(place: StoragePlace): Promise<Known> {
  return withService(place, (service) => furnishService(service), { forwardOtlp: AWAY });
}

async function furnishService(service: Service): Promise<Known> {
  const tenant = await service.addTenant();
  const trace = await furnishOddly(tenant);
  const call = span({ span_data: { input: ['text'], output: 'an answer' } });
  const erased = span({ session_id: DELETED_SESSION });
  await tenant.store(call, erased);
  const bytes = Buffer.alloc(9000, 'image');
  const image = createHash('sha256').update(bytes).digest('hex');
  const media = { id: image, trace_id: call.trace_id, type: 'image/png', size: bytes.length };
  const line = JSON.stringify({ media: { ...media, data: bytes.toString('base64') } });
  await tenant.ingest(line, { [HEADERS.batchId]: 'a-batch' }).expect(200);
  await tenant.ingest(ndjson([{ trace: { id: newTraceId(), user_id: 'of no span yet' } }])).expect(200);
  await tenant.post(API.datasets.create.path, { name: 'tickets' }).expect(201);
  const calls = { trace_function_key: call.trace_function_key, selection: { trace_ids: [call.trace_id] } };
  await tenant
    .post(routePath(API.datasets.addVersion, { name: 'tickets' }), { from_calls: calls })
    .expect(200);
  const run = await decideRun(tenant, call, calls);
  const versions = routePath(API.functions.push, { name: 'Classify' });
  await tenant.post(versions, { source: 'function Classify() -> string {}' }).expect(201);
  const activate = routePath(API.functions.activate, { name: 'Classify' });
  await tenant.post(activate, { version: 1 }).expect(200);
  await service.signIn(tenant.apiKey);
  await service.signInToken(tenant.accountId);
  await tenant.post(API.retention.set.path, { trace_function_key: 'a key', days: 9000 }).expect(200);
  await tenant.post(API.members.invite.path, { name: 'Ann', role: 'admin' }).expect(201);
  const { body: index } = await tenant
    .post(API.indexes.create.path, { name: 'Docs', type: 'SDK' })
    .expect(201);
  await tenant.post(API.shareLinks.create.path, { trace_id: call.trace_id, payloads: true }).expect(201);
  await tenant.post(API.otlp.send.path, SKIPPED_SPAN).expect(200);
  const documents = [{ source: 'guide.md', content: '# Guide\n\nWelcome.', content_type: 'text/markdown' }];
  await tenant.post(routePath(API.indexes.addDocuments, index), { documents }).expect(200);
  for (const what of [{ trace_ids: [trace] }, { session_id: DELETED_SESSION }]) {
    await tenant.post(API.deletions.create.path, what).expect(201);
  }
  await service.app.get(DeletionRunner).idle();
  expect(await listEmptyTables(service)).toEqual(EMPTY_TABLES);
  return { accountId: tenant.accountId, apiKey: tenant.apiKey, image, erased, run, call };
}

/** A run whose one item changed, until a person accepted it and ignored a path. @returns its id */
async function decideRun(tenant: Tenant, call: SpanRecord, calls: object): Promise<string> {
  const { body: run } = await tenant.post(API.testRuns.create.path, calls).expect(201);
  const replay = span({
    test_run_id: run.id,
    source_span_id: call.id,
    span_data: { output: 'another answer' },
  });
  await tenant.store(replay);
  const item = {
    item_no: 0,
    source_trace_id: call.trace_id,
    source_span_id: call.id,
    verdict: 'changed',
    new_trace_id: replay.trace_id,
    new_span_id: replay.id,
    result: 'another answer',
    duration_ms: 5,
  };
  const at = (route: Route): string => routePath(route, { id: run.id, item_no: '0' });
  await tenant.post(at(API.testRuns.report), { items: [item] }).expect(200);
  await tenant.post(at(API.testRuns.accept), {}).expect(200);
  const summary = { passed: false, gate: { changed: 0 }, checks: CHECKS };
  await tenant.post(at(API.testRuns.finish), { summary, expected_items: 1 }).expect(200);
  const judgements = [{ item_no: 0, judgement: 'better' }];
  await tenant.post(at(API.decisions.list), { after: 0, judgements, ignore: ['$.version'] }).expect(201);
  return run.id as string;
}

async function listEmptyTables(service: Service): Promise<string[]> {
  const { transfers } = service.app.get(MetaStore);
  const tables = await transfers.listTables();
  const rows = await Promise.all(tables.map((table) => transfers.readRows(table)));
  return tables.filter((_, n) => rows[n]?.length === 0);
}

async function readLists({ get }: Tenant, { run: id }: Known): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  // Metrics first: on SQLite, whoever asks for them has lists counted.
  const ofRun = [API.testRuns.get, API.testRuns.report, API.decisions.list].map((route) =>
    routePath(route, { id }),
  );
  for (const path of [...LISTS.toReversed(), ...ofRun]) answers[path] = (await get(path).expect(200)).body;
  answers['export'] = (await get(API.traces.export.path).buffer(true).expect(200)).text;
  // Reading notes the last use. Some engines keep NUL in names, and others U+FFFD.
  const text = JSON.stringify(answers, (name, value) => (name === 'last_used_at' ? '' : value));
  return JSON.parse(text.replaceAll(/\\+u0000/g, '\uFFFD'));
}

const open = (service: Service, { accountId, apiKey }: Known): Tenant =>
  createTenant(service.url, accountId, apiKey);

const readAll = (place: StoragePlace, known: Known): Promise<Record<string, unknown>> =>
  withService(place, (service) => readLists(open(service, known), known));

const migrate = (places: Places) => migrateStorage({ ...places, logger: SILENT });

/** Migrates in a process that is killed after so many reports of progress. @returns whether it was */
async function migrateAndDie(places: Places, reports: number): Promise<boolean> {
  const args = [join(__dirname, 'migration-process.cjs'), JSON.stringify(places), String(reports)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  expect({ code, signal }).toEqual(signal === null ? { code: 0, signal } : { code, signal: 'SIGKILL' });
  return signal === 'SIGKILL';
}

/**
 * The claims of `migrateStorage`.
 *
 * @param openPlaces two places where nothing is stored
 * @param isQuick whether kills are tested between other engines
 */
export function describeMigration(
  between: string,
  openPlaces: () => Promise<Places>,
  { isQuick = false }: { isQuick?: boolean } = {},
): void {
  describe(`a migration from ${between}`, () => {
    it(
      'moves everything: keys open the account, lists are the same, new rows get new numbers, and what is deleted stays deleted',
      async () => {
        const places = await openPlaces();
        const known = await furnish(places.from);
        const before = await readAll(places.from, known);
        const { accounts, resumed } = await migrate(places);
        expect(resumed).toBe(false);
        expect(accounts.find(({ id }) => id === known.accountId)).toMatchObject({
          traces: expect.any(Number),
          spans: (before[API.traces.listKeys.path] as { items: { span_count: number }[] }).items.reduce(
            (sum, { span_count }) => sum + span_count,
            0,
          ),
        });
        expect(await readAll(places.to, known)).toEqual(before);
        await withService(places.to, async (service) => {
          const tenant = open(service, known);
          const { body } = await tenant.get(routePath(API.media.get, { id: known.image })).expect(200);
          expect(Buffer.alloc(9000, 'image').equals(body as Buffer)).toBe(true);
          await tenant.post(API.datasets.create.path, { name: 'made-afterwards' }).expect(201);
          const late = span({ session_id: DELETED_SESSION });
          const answer = await tenant.ingest(spansToNdjson([known.erased, late])).expect(200);
          expect(answer.body).toMatchObject({ dropped: 2 });
        });
        const receiver = await OtlpReceiver.start();
        const forwardOtlp = { url: receiver.url };
        await withService(
          places.to,
          () => until(() => receiver.spans.some(({ spanId }) => spanId === known.call.id)),
          { forwardOtlp },
        );
        await receiver.close();
      },
      TIMEOUT_MS,
    );

    if (isQuick) return;

    it(
      'continues where it was killed, however often, and no collector starts before it is done',
      async () => {
        const places = await openPlaces();
        const known = await furnish(places.from);
        const before = await readAll(places.from, known);
        let kills = 0;
        while (await migrateAndDie(places, 12 * (kills + 1))) {
          kills++;
          await expect(Service.start(places.to)).rejects.toMatchObject({
            code: 'COLLECTOR_STORAGE_HALF_COPIED',
          });
        }
        expect(kills).toBeGreaterThan(2);
        expect(await readAll(places.to, known)).toEqual(before);
      },
      TIMEOUT_MS,
    );

    it(
      'leaves a target that holds something else as it is',
      async () => {
        const places = await openPlaces();
        await furnish(places.from);
        const known = await furnish(places.to);
        const before = await readAll(places.to, known);
        await expect(migrate(places)).rejects.toMatchObject({ code: 'COLLECTOR_STORAGE_NOT_EMPTY' });
        expect(await readAll(places.to, known)).toEqual(before);
      },
      TIMEOUT_MS,
    );
  });
}
