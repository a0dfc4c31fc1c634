import { formatTimestamp } from '@dacapo/protocol';
import { SystemClock } from '../src/clock.js';
import { MetricsService } from '../src/metrics/metrics-service.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { expectMetricsToAgree } from './support/expect-metrics-to-agree.js';
import { span } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HOUR = 3600e6;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 31) * 1000;

const toTraceId = (no: number): string => `018d0000-0000-7000-8000-${no.toString(16).padStart(12, '0')}`;

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
  it('equal a new count of all records, in any order of arrival', async () => {
    const storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
    await expectMetricsToAgree(storage.spans, 12);
    await storage.close();
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
