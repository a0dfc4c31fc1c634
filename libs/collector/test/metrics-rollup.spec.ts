import { formatTimestamp, type SpanRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import { SystemClock } from '../src/clock.js';
import { MetricsService } from '../src/metrics/metrics-service.js';
import type { MetricsQuery } from '../src/storage/ports/metrics-query.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import type { SpanStore } from '../src/storage/ports/span-store.js';
import type { Storage } from '../src/storage/storage.js';
import { OracleSpanStore } from './oracle/oracle-span-store.js';
import { span } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HOUR = 3600e6;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 31) * 1000;

const toSpanId = (no: number): string => no.toString(16).padStart(16, '0');
const toTraceId = (no: number): string => `018d0000-0000-7000-8000-${no.toString(16).padStart(12, '0')}`;

/** Few traces, keys and ids, so that records meet: the same span unfinished, ended, sent again, and differing. */
const record = fc
  .record({
    trace: fc.nat(3),
    id: fc.nat(7),
    parent: fc.option(fc.nat(7)),
    key: fc.constantFrom('a', 'b', 'c'),
    type: fc.constantFrom('llm', 'function'),
    hour: fc.nat(50),
    ms: fc.nat(100_000),
    isReplay: fc.boolean(),
    status: fc.constantFrom('ok', 'error', 'unfinished', 'cancelled'),
    tokens: fc.option(fc.nat(1000)),
    cost: fc.option(fc.double({ min: 0, max: 5, noNaN: true })),
    kind: fc.option(fc.constantFrom('tool', 'retrieval')),
    environment: fc.option(fc.constantFrom('x', 'y')),
    tags: fc.subarray(['p', 'q']),
  })
  .map(
    ({ trace, id, parent, key, type, hour, ms, isReplay, status, tokens, cost, kind, environment, tags }) => {
      const span = {
        id: toSpanId(id),
        trace_id: toTraceId(trace),
        trace_function_key: key,
        name: key,
        type,
        status,
        started_at: formatTimestamp(START + hour * HOUR + id),
        ...(parent !== null && { parent_id: toSpanId(parent) }),
        ...(status !== 'unfinished' && { duration_ms: ms }),
        ...(isReplay && { test_run_id: 'run-1' }),
        ...(kind !== null && { kind }),
        ...(environment !== null && { environment }),
        ...(tags.length > 0 && { tags }),
        span_data: {
          ...(tokens !== null && { usage: { model: 'm', input_tokens: tokens, output_tokens: 1 } }),
          // Spans of even numbers are sent in two parts, as far as they ended.
          ...(id % 2 === 0 && status !== 'unfinished' && { meta: { continues: true as const } }),
        },
      } as SpanRecord;
      return { span, cost };
    },
  );

const batch = fc.record({
  records: fc.array(record, { maxLength: 12 }),
  batchId: fc.option(fc.nat(3)),
  read: fc.boolean(),
});

const QUERIES: MetricsQuery[] = (['exclude', 'include', 'only'] as const).flatMap(
  (replays): MetricsQuery[] => [
    { sinceUs: START - DAY, untilUs: START + 5 * DAY, replays },
    { sinceUs: START + 5 * HOUR, untilUs: START + 2 * DAY + HOUR, replays },
    { sinceUs: START + 5 * HOUR, untilUs: START + 9 * HOUR, replays, traceFunctionKey: 'a' },
    { sinceUs: START, untilUs: START + 3 * DAY, replays, traceFunctionKey: '', hours: 1 },
    { sinceUs: START, untilUs: START + 3 * DAY, replays, hours: 24 },
    { sinceUs: START + 5 * HOUR, untilUs: START + 3 * DAY, replays, groupBy: 'environment' },
    { sinceUs: START, untilUs: START + 3 * DAY, replays, groupBy: 'tags', hours: 24 },
    { sinceUs: START, untilUs: START + 3 * DAY, replays, groupBy: 'kind' },
  ],
);

const readFigures = async (store: SpanStore, accountId: string): Promise<unknown[]> => {
  const answers = [];
  for (const query of QUERIES) {
    const { rows } = await store.readMetrics(accountId, query);
    const figures = rows.map(({ traceFunctionKey, group, startUs, tally }) => {
      const [sums, durations] = tally.encode();
      return [
        `${startUs} ${group} ${traceFunctionKey}`,
        sums,
        durations.length,
        tally.percentile(0.5),
        tally.percentile(0.95),
      ];
    });
    answers.push(figures.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1)));
  }
  return answers;
};

describe('metrics by group', () => {
  it('are rejected above the maximum number of traces, with the cure', async () => {
    const storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
    const stored = ['a', 'b', 'c'].map((key, no) =>
      span({
        trace_id: toTraceId(no),
        trace_function_key: key,
        started_at: formatTimestamp(START + no * HOUR),
      }),
    );
    await storage.spans.ingest('acc', { spans: stored, traces: [], receivedAt: formatTimestamp(START) });
    const metrics = new MetricsService(storage.spans);
    const query = { sinceUs: START, replays: 'include', groupBy: 'release', mostTraces: 2 } as const;
    await expect(metrics.read('acc', { ...query, untilUs: START + 3 * HOUR })).rejects.toThrow(
      'group_by may group or filter at most 2 traces, but more started in the period. Use a shorter period',
    );
    const { items } = await metrics.read('acc', { ...query, untilUs: START + 2 * HOUR });
    expect(items).toMatchObject([{ group: null, calls: 2 }]);
    await storage.close();
  });
});

describe('metrics that are rolled up behind ingest', () => {
  let storage: Storage;
  let accounts = 0;

  beforeAll(async () => {
    storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
  });

  afterAll(() => storage.close());

  it('equal a new count of all records, in any order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 5 }), async (batches) => {
        const accountId = `acc_${++accounts}`;
        const oracle = new OracleSpanStore();
        for (const { records, batchId, read } of batches) {
          const costs = new Map(
            records.flatMap(({ span, cost }) =>
              cost === null ? [] : [[span, { usd: cost, priceVersion: 'x' }] as const],
            ),
          );
          const sent = {
            spans: records.map(({ span }) => span),
            traces: [],
            costs,
            receivedAt: formatTimestamp(START),
            ...(batchId !== null && { batchId: String(batchId) }),
          };
          await Promise.all([storage.spans.ingest(accountId, sent), oracle.ingest(accountId, sent)]);
          if (read)
            expect(await readFigures(storage.spans, accountId)).toEqual(await readFigures(oracle, accountId));
        }
        expect(await readFigures(storage.spans, accountId)).toEqual(await readFigures(oracle, accountId));
      }),
      { numRuns: 12 },
    );
  });

  it('go on where a process that died left off', async () => {
    const directory = temporaryDirectory();
    const before = await openSqliteStorage(directory, new SystemClock());
    const stored = span({ started_at: formatTimestamp(START) });
    await before.spans.ingest('acc', { spans: [stored], traces: [], receivedAt: formatTimestamp(START) });
    await before.close();
    const after = await openSqliteStorage(directory, new SystemClock());
    const query = { sinceUs: START, untilUs: START + 5 * DAY, replays: 'include' } as const;
    const { rows } = await after.spans.readMetrics('acc', query);
    expect(rows.map(({ tally }) => tally.calls)).toEqual([1]);
    await after.close();
  });
});
