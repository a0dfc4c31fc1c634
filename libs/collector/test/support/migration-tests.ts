import { migrateStorage, type StoragePlace } from '@dacapo/collector';
import { newTraceId, ROUTES, routePath, type SpanRecord } from '@dacapo/protocol';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { DeletionRunner } from '../../src/deletions/deletion-runner.js';
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
}

const DELETED_SESSION = 'a deleted session';

/** Each test runs several services and processes, one after the other. */
const TIMEOUT_MS = 600_000;

/** Everything of an account that lists show. */
const LISTS = [
  ROUTES.account,
  ROUTES.apiKeys,
  ROUTES.auditLog,
  ROUTES.datasets,
  ROUTES.deletions,
  ROUTES.functions,
  ROUTES.indexes,
  ROUTES.members,
  ROUTES.retention,
  ROUTES.scores,
  ROUTES.sessions,
  ROUTES.testRuns,
  ROUTES.traceFunctionKeys,
  `${ROUTES.traces}?limit=200`,
  `${ROUTES.metrics}?since=2026-01-31T00:00:00Z&until=2026-02-01T00:00:00Z&bucket=hour`,
  routePath(ROUTES.datasetItems, { name: 'tickets', version: 'latest' }),
];

/** Runs `use` on a service that stores there, which stops afterwards. */
async function withService<T>(place: StoragePlace, use: (service: Service) => Promise<T>): Promise<T> {
  const service = await Service.start({
    ...place,
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
  return withService(place, async (service) => {
    const tenant = await service.addTenant();
    const trace = await furnishOddly(tenant);
    const call = span({ span_data: { input: ['text'], output: 'an answer' } });
    const erased = span({ session_id: DELETED_SESSION });
    await tenant.store(call, erased);
    const bytes = Buffer.alloc(9000, 'image');
    const image = createHash('sha256').update(bytes).digest('hex');
    const media = { id: image, trace_id: call.trace_id, type: 'image/png', size: bytes.length };
    const line = JSON.stringify({ media: { ...media, data: bytes.toString('base64') } });
    await tenant.ingest(line).expect(200);
    await tenant.ingest(ndjson([{ trace: { id: newTraceId(), user_id: 'of no span yet' } }])).expect(200);
    await tenant.post(ROUTES.datasets, { name: 'tickets' }).expect(201);
    const calls = { trace_function_key: call.trace_function_key, selection: { trace_ids: [call.trace_id] } };
    await tenant
      .post(routePath(ROUTES.datasetVersions, { name: 'tickets' }), { from_calls: calls })
      .expect(200);
    await tenant.post(ROUTES.testRuns, calls).expect(201);
    await tenant.post(ROUTES.retention, { trace_function_key: 'a key', days: 9000 }).expect(200);
    await tenant.post(ROUTES.members, { name: 'Ann', role: 'admin' }).expect(201);
    const { body: index } = await tenant.post(ROUTES.indexes, { name: 'Docs', type: 'SDK' }).expect(201);
    const documents = [{ source: 'guide.md', content: '# Guide\n\nWelcome.', content_type: 'text/markdown' }];
    await tenant.post(routePath(ROUTES.indexDocuments, index), { documents }).expect(200);
    for (const what of [{ trace_ids: [trace] }, { session_id: DELETED_SESSION }]) {
      await tenant.post(ROUTES.deletions, what).expect(201);
    }
    await service.app.get(DeletionRunner).idle();
    return { accountId: tenant.accountId, apiKey: tenant.apiKey, image, erased };
  });
}

async function readLists({ get }: Tenant): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  // Metrics first: on SQLite, whoever asks for them has lists counted.
  for (const path of LISTS.toReversed()) answers[path] = (await get(path).expect(200)).body;
  answers['export'] = (await get(ROUTES.export).buffer(true).expect(200)).text;
  // Reading notes the last use. Some engines keep NUL in names, and others U+FFFD.
  const text = JSON.stringify(answers, (name, value) => (name === 'last_used_at' ? '' : value));
  return JSON.parse(text.replaceAll(/\\+u0000/g, '\uFFFD'));
}

const open = (service: Service, { accountId, apiKey }: Known): Tenant =>
  createTenant(service.url, accountId, apiKey);

const readAll = (place: StoragePlace, known: Known): Promise<Record<string, unknown>> =>
  withService(place, (service) => readLists(open(service, known)));

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
          spans: (before[ROUTES.traceFunctionKeys] as { items: { span_count: number }[] }).items.reduce(
            (sum, { span_count }) => sum + span_count,
            0,
          ),
        });
        expect(await readAll(places.to, known)).toEqual(before);
        await withService(places.to, async (service) => {
          const tenant = open(service, known);
          const { body } = await tenant.get(routePath(ROUTES.media, { id: known.image })).expect(200);
          expect(Buffer.alloc(9000, 'image').equals(body as Buffer)).toBe(true);
          await tenant.post(ROUTES.datasets, { name: 'made-afterwards' }).expect(201);
          const late = span({ session_id: DELETED_SESSION });
          const answer = await tenant.ingest(spansToNdjson([known.erased, late])).expect(200);
          expect(answer.body).toMatchObject({ dropped: 2 });
        });
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
