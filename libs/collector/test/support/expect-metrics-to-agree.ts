import { formatTimestamp, type SpanRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import type { MetricsQuery } from '../../src/storage/ports/metrics-query.js';
import type { SpanStore } from '../../src/storage/ports/span-store.js';
import { OracleSpanStore } from '../oracle/oracle-span-store.js';

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
  deleted: fc.option(fc.nat(3)),
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

const deleteTrace = async ({ deletions }: SpanStore, accountId: string, traceId: string): Promise<void> => {
  const deletion = { forgetAt: '2999-01-01T00:00:00.000000Z', mostSpans: 100 };
  for (let isDone = false; !isDone;)
    ({ isDone } = await deletions.deleteTraces(accountId, [traceId], deletion));
};

/** On servers a run takes seconds, and its test has a timeout of its own. */
const LIMIT_MS = 14 * 60_000;

/** Metrics equal a new count of all records, in any order of arrival, also when some are read or deleted in between. */
export async function expectMetricsToAgree(store: SpanStore, numRuns: number): Promise<void> {
  let accounts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 5 }), async (batches) => {
      const accountId = `acc_metrics_${++accounts}`;
      const oracle = new OracleSpanStore();
      const expectEqual = async () => {
        expect(await readFigures(store, accountId)).toEqual(await readFigures(oracle, accountId));
      };
      for (const { records, batchId, read, deleted } of batches) {
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
        await Promise.all([store.ingest(accountId, sent), oracle.ingest(accountId, sent)]);
        if (read) await expectEqual();
        if (deleted !== null)
          for (const each of [store, oracle]) await deleteTrace(each, accountId, toTraceId(deleted));
      }
      await expectEqual();
    }),
    { numRuns, interruptAfterTimeLimit: LIMIT_MS },
  );
}
