import {
  newTraceId,
  type ScoreRecord,
  type SpanRecord,
  type TraceRecord,
  type TraceSummary,
} from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import fc from 'fast-check';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { openOracleStorage } from './oracle/oracle-storage.js';
import { DRIVERS } from './support/drivers.js';
import { furnishOddly } from './support/odd-data.js';
import { ManualClock } from './support/manual-clock.js';
import { ndjson, score, span, spansToNdjson, startedAt, unfinished } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

type ExportLine = { span?: SpanRecord; trace?: TraceRecord; score?: ScoreRecord; cursor?: string };

describe.each(DRIVERS)('an export on %s', (_, storage) => {
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    service = await Service.start({ clock: new ManualClock(), ...(storage && { storage }) });
  });

  beforeEach(async () => {
    tenant = await service.addTenant();
  });

  afterAll(() => service.close());

  const deleteTrace = async (id: string): Promise<void> => {
    await tenant.post(API.deletions.create.path, { trace_ids: [id] }).expect(201);
    await service.app.get(DeletionRunner).idle();
  };

  it('is an ingest body: imported, all that can be read is the same, and importing it again changes nothing', async () => {
    const erased = await furnishOddly(tenant);
    await deleteTrace(erased);
    const other = await service.addTenant();
    await other.store(span({ session_id: 'of another account' }));
    const text = await exported(tenant);
    const copy = await service.addTenant();
    await imported(copy, text);
    const all = await readAll(tenant);
    expect(all.traces.length).toBeGreaterThan(5);
    expect(await readAll(copy)).toEqual(all);
    expect(await readMetrics(copy)).toEqual(await readMetrics(tenant));
    await imported(copy, text);
    expect(await exported(copy)).toBe(text);
    expect(await readMetrics(copy)).toEqual(await readMetrics(tenant));
    expect(text).not.toContain('of another account');
    expect(text).not.toContain(erased);
  });

  it('of exported and imported data is the same for any records', async () => {
    await fc.assert(
      fc.asyncProperty(RECORDS, async (records) => {
        const [one, two] = [await service.addTenant(), await service.addTenant()];
        await one.store(...IDS.map((trace_id) => span({ trace_id, id: ROOT, started_at: startedAt(0) })));
        for (const batch of records) await one.ingest(ndjson(batch)).expect(200);
        const text = await exported(one);
        await imported(two, text);
        expect(await exported(two)).toBe(text);
        expect(await readAll(two)).toEqual(await readAll(one));
      }),
      { numRuns: 8 },
    );
  });

  it('continues after the last cursor, wherever it was cut', async () => {
    await furnishOddly(tenant);
    const text = await exported(tenant, { replays: 'exclude' });
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), async (cut) => {
        const kept = bytes.subarray(0, cut).toString('utf8').split('\n').slice(0, -1);
        const last = kept.findLastIndex((line) => readCursor(line) !== undefined);
        if (last === -1) return;
        const begun = kept.slice(0, last + 1).map((line) => `${line}\n`);
        const rest = await exported(tenant, { cursor: readCursor(kept[last] ?? '') ?? '' });
        expect(begun.join('') + rest === text).toBe(true);
      }),
      { numRuns: 8, examples: [[bytes.length]] },
    );
  });

  it('has the spans, scores and facts of each trace, the newest trace first, and a cursor on its last line', async () => {
    const [old, young] = [span({ started_at: startedAt(1) }), span({ started_at: startedAt(2) })];
    const said = { ...young, session_id: 's', trace_metadata: { tier: 'gold' }, trace_contexts: { c: [1] } };
    const late = { id: young.trace_id, at: startedAt(5), metadata: { tier: 'silver' } };
    const scores = [score({ trace_id: young.trace_id }), score({ session_id: 's' })];
    const body = [{ span: old }, { span: said }, { trace: late }, ...scores.map((one) => ({ score: one }))];
    await tenant.ingest(ndjson(body)).expect(200);
    const cursor = expect.any(String);
    const at = young.ended_at;
    expect(parseLines(await exported(tenant))).toEqual([
      { span: young },
      ...scores.map((one) => ({ score: one })),
      { trace: { id: young.trace_id, at, session_id: 's', contexts: { c: [1] } } },
      { trace: late, cursor },
      { span: old },
      { trace: { id: old.trace_id }, cursor },
    ]);
  });

  it('contains the traces that match a filter, and its cursor contains the filter', async () => {
    const of = (second: number, more: Partial<SpanRecord>): SpanRecord =>
      span({ started_at: startedAt(second), ...more });
    const mine = [of(1, { session_id: 'mine' }), of(3, { session_id: 'mine' })];
    const others = [of(2, { session_id: 'other' }), of(4, { trace_function_key: 'other' })];
    await tenant.store(...mine, ...others);
    const traces = async (query: Record<string, string>): Promise<(string | undefined)[]> =>
      parseLines(await exported(tenant, query)).flatMap(({ span: one }) => one?.trace_id ?? []);
    const [first, second] = [mine[1]?.trace_id, mine[0]?.trace_id];
    expect(await traces({ session_id: 'mine' })).toEqual([first, second]);
    expect(await traces({ trace_function_key: 'other' })).toEqual([others[1]?.trace_id]);
    expect(await traces({ since: startedAt(2), until: startedAt(3) })).toEqual([others[0]?.trace_id]);
    const lines = parseLines(await exported(tenant, { session_id: 'mine' }));
    const cursor = lines.find((line) => line.cursor !== undefined)?.cursor ?? '';
    expect(await traces({ cursor })).toEqual([second]);
    const both = await tenant.get(`${API.traces.export.path}?session_id=mine&cursor=${cursor}`).expect(400);
    expect(both.body.detail).toContain('A cursor contains the filters of its export');
    await tenant.get(`${API.traces.export.path}?cursor=none`).expect(400);
    await tenant.get(`${API.traces.export.path}?sort=tokens`).expect(400);
    expect(await exported(await service.addTenant())).toBe('');
  });

  it('contains the known facts of a trace without spans', async () => {
    const [trace, bare] = [{ id: newTraceId(), at: startedAt(1), contexts: { c: 1 } }, { id: newTraceId() }];
    await tenant.ingest(ndjson([{ trace }, { trace: bare }])).expect(200);
    const copy = await service.addTenant();
    await imported(copy, await exported(tenant));
    const { body } = await copy.get(routePath(API.traces.get, { id: trace.id })).expect(200);
    expect(body).toMatchObject({ contexts: { c: 1 }, spans: [] });
    await copy.get(routePath(API.traces.get, { id: bare.id })).expect(200);
  });

  it('reflects arrivals and deletions after its cursor', async () => {
    const [oldest, old, young] = [1, 3, 5].map((second) => span({ started_at: startedAt(second) }));
    await tenant.store(oldest!, old!, young!);
    const [first] = parseLines(await exported(tenant)).filter((line) => line.cursor !== undefined);
    const [newer, older] = [span({ started_at: startedAt(9) }), span({ started_at: startedAt(2) })];
    const grown = span({ trace_id: oldest!.trace_id, parent_id: oldest!.id, started_at: startedAt(2) });
    const missed = span({ trace_id: young!.trace_id, parent_id: young!.id, started_at: startedAt(6) });
    await tenant.store(newer, older, grown, missed);
    await deleteTrace(old!.trace_id);
    const rest = parseLines(await exported(tenant, { cursor: first?.cursor ?? '' }));
    expect(rest.flatMap(({ span: one }) => one?.id ?? [])).toEqual([older.id, oldest!.id, grown.id]);
  });
});

describe('an export', () => {
  const RECORD_BYTES = 500_000;

  /** One whose client takes the first bytes and no more, of more than sockets hold. */
  async function stalled(service: Service, tenant: Tenant): Promise<IncomingMessage> {
    for (let second = 0; second < 40; second++) {
      const span_data = { output: 'x'.repeat(RECORD_BYTES) };
      await tenant.store(span({ started_at: startedAt(second), span_data }));
    }
    const request = get(service.url + API.traces.export.path, { headers: { 'api-key': tenant.apiKey } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    return answer;
  }

  it('continues when its client reads, and ends when the client disconnects', async () => {
    const service = await Service.start({ requestMemoryBytes: 8 * 1024 * 1024 });
    const tenant = await service.addTenant();
    const answer = await stalled(service, tenant);
    // It holds its part of the memory as long as it is not over.
    await tenant.get(API.traces.export.path).expect(429);
    answer.destroy();
    let status = 429;
    while (status === 429) ({ status } = await tenant.get(API.traces.export.path));
    expect(status).toBe(200);
    await service.close();
  });

  it('that breaks off does not end as a whole one does', async () => {
    const messages: string[] = [];
    const addMessage = (message: string): number => messages.push(message);
    const service = await Service.start({
      logger: { info: addMessage, warn: addMessage, error: addMessage },
    });
    const answer = await stalled(service, await service.addTenant());
    const closed = service.close();
    const read = (async () => {
      for await (const bytes of answer) expect(bytes).toBeDefined();
    })();
    await expect(read).rejects.toThrow('aborted');
    await closed;
    expect(messages).toContain('An export was cut off: The service stops');
  });

  it('reports a span that cannot be read yet, and skips none silently', async () => {
    const clock = new ManualClock();
    const late = { visibleAfterMs: 0, payloadVisibleAfterMs: 2000, clock };
    const service = await Service.start({ clock, storage: () => openOracleStorage(late) });
    const tenant = await service.addTenant();
    await tenant.ingest(spansToNdjson([span()])).expect(200);
    const { body } = await tenant.get(API.traces.export.path).expect(503);
    expect(body.detail).toMatch(/cannot be read yet\. Continue the export later$/);
    clock.advance(3);
    expect(parseLines(await exported(tenant))).toHaveLength(2);
    await service.close();
  });
});

async function exported(tenant: Tenant, query: Record<string, string> = {}): Promise<string> {
  const { text, headers } = await tenant
    .get(`${API.traces.export.path}?${new URLSearchParams(query).toString()}`)
    .buffer(true)
    .parse((response, done) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        response.text = Buffer.concat(parts).toString('utf8');
        done(null, undefined);
      });
    })
    .expect(200);
  expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
  return text;
}

/** As an ingest takes it: in bodies of some lines. */
async function imported(tenant: Tenant, text: string): Promise<void> {
  const lines = text.split('\n').slice(0, -1);
  for (let from = 0; from < lines.length; from += 200) {
    const some = lines.slice(from, from + 200);
    const { body } = await tenant.ingest(some.join('\n')).expect(200);
    expect(body).toEqual({ accepted: some.length, rejected: [] });
  }
}

function parseLines(text: string): ExportLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ExportLine);
}

function readCursor(line: string): string | undefined {
  return (JSON.parse(line) as ExportLine).cursor;
}

/** All that the API tells of traces and of what belongs to them. */
async function readAll(tenant: Tenant) {
  const pages = async <T>(path: string, query: Record<string, string> = {}): Promise<T[]> => {
    const items: T[] = [];
    let cursor: string | undefined;
    do {
      const page = new URLSearchParams({ limit: '200', ...query, ...(cursor !== undefined && { cursor }) });
      const { body } = await tenant.get(`${path}?${page.toString()}`).expect(200);
      items.push(...body.items);
      cursor = body.next_cursor;
    } while (cursor !== undefined);
    return items;
  };
  // Lists show usage that is counted behind ingest: whoever asks for metrics has it counted.
  await readMetrics(tenant);
  const listed = await pages<TraceSummary>(API.traces.list.path);
  const sessionIds = new Set(listed.map(({ session_id }) => session_id));
  const scores = async (query: Record<string, string>): Promise<ScoreRecord[]> =>
    (await pages<ScoreRecord>(API.scores.add.path, query)).filter(
      ({ session_id }) => session_id === undefined || sessionIds.has(session_id),
    );
  const traces = await Promise.all(
    listed.map(async ({ id }) => {
      const { body } = await tenant.get(routePath(API.traces.get, { id })).expect(200);
      const spans = body.spans.slice(0, 20).map(async (one: { id: string }) => {
        const path = routePath(API.traces.getSpan, { id, span_id: one.id });
        return (await tenant.get(path).expect(200)).body;
      });
      return { ...body, spans: await Promise.all(spans) };
    }),
  );
  return {
    listed,
    traces,
    keys: new Set((await tenant.get(API.traces.listKeys.path)).body.items),
    sessions: await pages(API.traces.listSessions.path),
    scores: await scores({ history: 'true' }),
    counting: await scores({}),
  };
}

async function readMetrics(tenant: Tenant): Promise<unknown> {
  const since = { since: '2026-01-31T00:00:00Z', until: '2026-02-01T00:00:00Z' };
  const query = new URLSearchParams({ ...since, bucket: 'hour', replays: 'include' });
  return (await tenant.get(`${API.metrics.read.path}?${query.toString()}`).expect(200)).body.items;
}

const ROOT = '00f067aa0ba902b0';
const IDS = Array.from({ length: 3 }, newTraceId);

/** Batches of records of a few traces and sessions, in any order, some of them twice. */
const RECORDS = (() => {
  const spanIds = ['00f067aa0ba902b7', '00f067aa0ba902b8', '00f067aa0ba902b9'];
  const trace_id = fc.constantFrom(...IDS);
  const text = fc.string({ unit: 'grapheme', maxLength: 4 });
  const session_id = fc.option(fc.constantFrom('s', 't'), { nil: undefined });
  const facts = fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
  const second = fc.nat(5).map(startedAt);
  const spans = fc
    .record({
      id: fc.constantFrom(...spanIds),
      trace_id,
      session_id,
      trace_metadata: facts,
      ended_at: second,
      span_data: fc.record({ input: fc.array(fc.jsonValue()), output: fc.jsonValue() }),
      isUnfinished: fc.boolean(),
    })
    .map(({ isUnfinished, ...one }) => {
      const record = span({
        ...one,
        parent_id: ROOT,
        trace_function_key: `key of ${one.id}`,
        started_at: startedAt(Number(one.id.at(-1)) % 3),
      } as Partial<SpanRecord>);
      return { span: isUnfinished ? unfinished(record) : record };
    });
  const patches = fc
    .record({ id: trace_id, at: second, session_id, metadata: facts, contexts: facts })
    .map((trace) => ({ trace: trace as TraceRecord }));
  const scores = fc
    .record({
      created_at: second,
      value: fc.oneof(fc.nat(3), fc.boolean(), fc.constant(null)),
      trace_id,
      session_id,
    })
    .map(({ trace_id: id, session_id: session, ...one }) => ({
      score: score({ ...one, ...(session === undefined ? { trace_id: id } : { session_id: session }) }),
    }));
  return fc.array(fc.array(fc.oneof(spans, patches, scores), { minLength: 1, maxLength: 6 }), {
    maxLength: 4,
  });
})();
