/**
 * Two collectors on one PostgreSQL under load. One is killed again and again, and the database is restarted twice. DACAPO_KILLS sets how
 * often: `npm run test:servers -- --kills 100`.
 */
import { HEADERS, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CollectorPair } from './support/collector-pair.js';
import { findText, OwnPostgresServer, queryDatabase } from './support/postgres-server.js';
import { span, spansToNdjson } from './support/records.js';

const KILLS = Number(process.env['DACAPO_KILLS'] ?? 6);
const SENDERS = 4;
const TRACES_IN_A_BATCH = 10;
/** How long the second collector runs after it is ready, at most. */
const LIFE_MS = 1500;
/** Two processes start, on a busy machine. */
const START_MS = 300_000;
const DELETED_MARKER = 'zq7gone';

const RECORDED = { started_at: '2025-01-31T12:00:00.000000Z', ended_at: '2025-01-31T12:00:01.000000Z' };
const EXPIRED = { started_at: '2019-01-31T12:00:00.000000Z', ended_at: '2019-01-31T12:00:01.000000Z' };

interface Batch {
  id: string;
  spans: SpanRecord[];
}

const pick = <T>(list: readonly T[]): T | undefined => list[randomInt(Math.max(1, list.length))];

/** A request with a tool call inside. */
function makeTrace(session_id: string): SpanRecord[] {
  const said = { input: [session_id], output: `${'large '.repeat(200)}${session_id}` };
  const root = span({ ...RECORDED, trace_function_key: 'request', session_id, span_data: said });
  const inside = { trace_id: root.trace_id, parent_id: root.id, trace_function_key: 'tool' };
  return [root, span({ ...RECORDED, ...inside, name: session_id, span_data: said })];
}

describe('two collectors on one PostgreSQL, one of which is killed', () => {
  let server: OwnPostgresServer;
  let address: string;
  let pair: CollectorPair;
  const batches: Batch[] = [];
  const deletedSessions: string[] = [];
  const keptSessions = ['kept-1', 'kept-2', 'kept-3'];
  let isOver = false;

  beforeAll(async () => {
    server = await OwnPostgresServer.start();
    address = await server.createDatabase();
    pair = await CollectorPair.start(address);
    await pair.ask(API.retention.get.path, { trace_function_key: 'expired', days: 1000 });
    await pair.ask(API.datasets.create.path, { name: 'copies' });
  }, START_MS);

  afterAll(async () => {
    await pair.stop();
    await server.stop();
  });

  const nextToDelete = (): string => `${DELETED_MARKER}-${deletedSessions.length + 1}`;

  /** Records of sessions that are deleted keep coming: those are late. */
  const makeBatch = (): Batch => {
    const sessions = [...keptSessions, ...deletedSessions.slice(-3), nextToDelete()];
    const traces = Array.from({ length: TRACES_IN_A_BATCH }, () => makeTrace(pick(sessions) ?? ''));
    const expired = span({ ...EXPIRED, trace_function_key: 'expired' });
    const batch = { id: randomUUID(), spans: [...traces.flat(), expired] };
    batches.push(batch);
    return batch;
  };

  const send = async ({ id, spans }: Batch): Promise<void> => {
    const { status, body } = await pair.ask(API.ingest.send.path, spansToNdjson(spans), {
      [HEADERS.batchId]: id,
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { accepted: spans.length } });
  };

  /** Some batches come again, as after an answer that was lost. */
  const sendAll = async (): Promise<void> => {
    while (!isOver) {
      const again = Math.random() < 0.1 ? pick(batches) : undefined;
      await send(again ?? makeBatch());
    }
  };

  const deleteSession = async (session_id: string): Promise<void> => {
    const { status } = await pair.ask(API.deletions.create.path, { session_id });
    expect(status).toBe(201);
  };

  /** Copies calls of sessions into a dataset, and replays them, while others delete them. */
  const copyAndReplay = async (): Promise<void> => {
    const call = { trace_function_key: 'request' };
    while (!isOver) {
      const source = pick(batches)?.spans.find(({ session_id }) => session_id?.startsWith(DELETED_MARKER));
      if (source === undefined) {
        await sleep(20);
        continue;
      }
      const selection = { trace_ids: [source.trace_id] };
      const versions = routePath(API.datasets.addVersion, { name: 'copies' });
      await pair.ask(versions, { from_calls: { ...call, selection } });
      const { status, body } = await pair.ask(API.testRuns.create.path, { ...call, selection });
      if (status !== 201) continue;
      const { id } = body as { id: string };
      const item = {
        item_no: 0,
        source_trace_id: source.trace_id,
        source_span_id: source.id,
        verdict: 'changed',
        result: source.session_id,
        duration_ms: 5,
        new_trace_id: newTraceId(),
      };
      await pair.ask(routePath(API.testRuns.report, { id }), { items: [item] });
    }
  };

  const countDeletions = async (which: 'rank > 0' | 'rank = 0'): Promise<number> => {
    const sql = `SELECT count(*)::int AS n FROM deletions WHERE ${which}`;
    return (await queryDatabase<{ n: number }>(address, sql))[0]?.n ?? 0;
  };

  it(
    'keep what they acknowledged, once, and nothing that was deleted',
    async () => {
      const load = [...Array.from({ length: SENDERS }, sendAll), copyAndReplay()];
      for (let n = 1; n <= KILLS; n++) {
        await sleep(randomInt(LIFE_MS));
        const session = nextToDelete();
        deletedSessions.push(session);
        const deleting = deleteSession(session);
        await sleep(randomInt(50));
        await pair.killSecond();
        if (n === Math.ceil(KILLS / 3)) await server.restart('fast');
        if (n === Math.ceil((2 * KILLS) / 3)) await server.restart('immediate');
        await pair.startSecond();
        await deleting;
      }
      // A deletion is done although others write all the time.
      while ((await countDeletions('rank = 0')) === 0) await sleep(100);
      isOver = true;
      await Promise.all(load);
      await deleteSession(nextToDelete());
      while ((await countDeletions('rank > 0')) > 0) await sleep(100);
      // Each start applies the rule to what came since.
      await pair.killSecond();
      await pair.startSecond();
      const countExpired = `SELECT count(*)::int AS n FROM spans WHERE trace_function_key = 'expired'`;
      while ((await queryDatabase<{ n: number }>(address, countExpired))[0]?.n !== 0) await sleep(100);
      while ((await countDeletions('rank > 0')) > 0) await sleep(100);

      const sent = batches.flatMap(({ spans }) => spans);
      const kept = new Set(
        batches.flatMap(({ spans }) => {
          const traces = spans.filter(({ session_id }) => session_id?.startsWith('kept'));
          const ids = new Set(traces.map(({ trace_id }) => trace_id));
          return spans.filter(({ trace_id }) => ids.has(trace_id)).map(({ id }) => id);
        }),
      );
      const stored = await queryDatabase<{ span_id: string }>(address, 'SELECT span_id FROM spans');
      const storedIds = stored.map(({ span_id }) => span_id);
      expect(storedIds).toHaveLength(new Set(storedIds).size);
      expect([...kept].filter((id) => !storedIds.includes(id))).toEqual([]);
      expect(storedIds.filter((id) => !kept.has(id))).toEqual([]);
      expect(await findText(address, DELETED_MARKER)).toEqual([]);

      const keys = await pair.ask(API.traces.listKeys.path);
      expect(keys.body).toMatchObject({
        items: ['request', 'tool'].map((trace_function_key) => ({
          trace_function_key,
          span_count: kept.size / 2,
        })),
      });
      const readMetrics = async (year: number): Promise<unknown> => {
        const range = `since=${year}-01-31T12:00:00Z&until=${year}-01-31T13:00:00Z`;
        return (await pair.ask(`${API.metrics.read.path}?${range}`)).body;
      };
      expect(await readMetrics(2019)).toMatchObject({ items: [] });
      expect(await readMetrics(2025)).toMatchObject({
        items: ['request', 'tool'].map((trace_function_key) => ({
          trace_function_key,
          calls: kept.size / 2,
        })),
      });
      const sessions = await pair.ask(API.traces.listSessions.path);
      const counted = (sessions.body as { items: { session_id: string; trace_count: number }[] }).items;
      expect(counted.map(({ session_id }) => session_id).sort()).toEqual(keptSessions);
      expect(counted.reduce((sum, { trace_count }) => sum + trace_count, 0)).toBe(kept.size / 2);

      const deletions = await queryDatabase<{ reason: string; spans: number }>(
        address,
        `SELECT record::json ->> 'reason' AS reason, sum((record::json #>> '{counts,spans}')::int)::int AS spans
          FROM deletions GROUP BY 1`,
      );
      const expired = sent.filter(({ trace_function_key: key }) => key === 'expired').length;
      expect(deletions.find(({ reason }) => reason === 'retention')?.spans).toBe(expired);
      const ofDeleted = sent.length - expired - kept.size;
      expect(deletions.find(({ reason }) => reason === 'request')?.spans).toBeLessThanOrEqual(ofDeleted);
    },
    120_000 + KILLS * 30_000,
  );
});
