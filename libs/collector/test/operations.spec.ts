import {
  InvalidOptionError,
  PortInUseError,
  type RunningCollector,
  startCollector,
  SystemClock,
} from '@dacapo/collector';
import { newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { MemoryBudget } from '../src/memory/memory-budget.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { ServiceMetrics } from '../src/telemetry/service-metrics.js';
import { type Family, parseExposition } from './support/parse-exposition.js';
import { score, span, spansToNdjson } from './support/records.js';
import { SILENT, type Tenant, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('metrics for Prometheus', () => {
  let collector: RunningCollector;
  let tenant: Tenant;

  beforeAll(async () => {
    const dataDir = temporaryDirectory();
    collector = await startCollector({ port: 0, dataDir, logger: SILENT, metrics: { port: 0 } });
    tenant = createTenant(collector.url, '', collector.apiKey ?? '');
  });

  afterAll(() => collector.close());

  const scrape = async (): Promise<Map<string, Family>> => {
    const answer = await fetch(collector.metricsUrl ?? '');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return parseExposition(await answer.text());
  };

  const readValue = (
    families: Map<string, Family>,
    name: string,
    labels: Record<string, string> = {},
  ): number | undefined => {
    const samples = families.get(name.replace(/_(count|sum|bucket)$/, '')) ?? families.get(name);
    return samples?.samples.find(
      (one) => one.name === name && Object.entries(labels).every(([label, is]) => one.labels[label] === is),
    )?.value;
  };

  /** Once the service has seen the end of so many requests: a client may be told before. */
  const settled = async (ended: number): Promise<Map<string, Family>> => {
    let families = await scrape();
    for (let looks = 0; countRequests(families) < ended && looks < 1000; looks++) families = await scrape();
    return families;
  };

  const countRequests = (families: Map<string, Family>): number =>
    (families.get('dacapo_http_requests_total')?.samples ?? []).reduce((sum, { value }) => sum + value, 0);

  it('count what was sent', async () => {
    const before = await scrape();
    const grown = (after: Map<string, Family>, name: string, labels?: Record<string, string>): number =>
      (readValue(after, name, labels) ?? 0) - (readValue(before, name, labels) ?? 0);
    const lines = spansToNdjson([span(), span({ trace_function_key: 'their key' })]);
    const body = `${lines}\n{"score":${JSON.stringify(score({ trace_id: newTraceId() }))}}\nnot a line\n`;
    await tenant.ingest(body, { 'dacapo-batch-id': 'one' }).expect(200);
    await tenant.ingest(body, { 'dacapo-batch-id': 'one' }).expect(200);
    await tenant.get(API.traces.list.path).expect(200);
    await tenant.get(`${API.traces.list.path}/${newTraceId()}`).expect(404);
    await tenant.ingest('x'.repeat(21 * 1024 * 1024)).expect(413);
    const limited = { name: 'slow', scopes: ['read'], requests_per_minute: 1 };
    const { body: key } = await tenant.post(API.apiKeys.create.path, limited).expect(201);
    const slow = createTenant(collector.url, '', key.api_key);
    let status = 200;
    let requests = 0;
    for (; status === 200; requests++) ({ status } = await slow.get(API.traces.listKeys.path));
    expect(status).toBe(429);

    const after = await settled(6 + requests);
    expect({
      accepted: grown(after, 'dacapo_ingest_records_total'),
      rejected: grown(after, 'dacapo_ingest_rejected_lines_total'),
      duplicates: grown(after, 'dacapo_ingest_duplicate_records_total'),
      dropped: grown(after, 'dacapo_ingest_dropped_records_total'),
      ok: grown(after, 'dacapo_http_requests_total', { class: 'ingest', status: '200' }),
      tooLarge: grown(after, 'dacapo_refusals_total', { reason: 'too_large' }),
      limited: grown(after, 'dacapo_refusals_total', { reason: 'rate_limit' }),
      read: grown(after, 'dacapo_http_requests_total', { class: 'reading', status: '404' }),
      timed: grown(after, 'dacapo_http_request_duration_seconds_count', { class: 'reading' }),
      bytes: grown(after, 'dacapo_http_request_body_bytes_total', { class: 'access' }),
    }).toEqual({
      accepted: 3,
      rejected: 2,
      duplicates: 3,
      dropped: 0,
      ok: 2,
      tooLarge: 1,
      limited: 1,
      read: 1,
      timed: 2 + requests,
      bytes: JSON.stringify(limited).length,
    });
    expect(grown(after, 'dacapo_http_request_body_bytes_total', { class: 'ingest' })).toBeGreaterThanOrEqual(
      2 * Buffer.byteLength(body),
    );
  });

  it('show the state of the storage and the process', async () => {
    const families = await scrape();
    expect(readValue(families, 'dacapo_storage_ready')).toBe(1);
    expect(readValue(families, 'dacapo_storage_readers')).toBeGreaterThan(3);
    expect(readValue(families, 'dacapo_storage_writes_waiting')).toBeGreaterThanOrEqual(0);
    for (const name of [
      'dacapo_storage_database_bytes',
      'dacapo_storage_wal_bytes',
      'dacapo_storage_free_disk_bytes',
      'dacapo_request_memory_limit_bytes',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ]) {
      expect([name, readValue(families, name)]).toEqual([name, expect.any(Number)]);
      expect(readValue(families, name)).toBeGreaterThan(0);
    }
    expect(readValue(families, 'dacapo_request_memory_bytes')).toBe(0);
    expect(readValue(families, 'process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
  });

  it('contain no account, key or id, however many there are', async () => {
    const { body: account } = await tenant.get(API.accounts.get.path).expect(200);
    const before = (await (await fetch(collector.metricsUrl ?? '')).text()).split('\n').length;
    for (let n = 0; n < 20; n++) {
      const path = [
        `${API.traces.list.path}/${newTraceId()}`,
        `/page-${n}`,
        routePath(API.datasets.get, { name: `d${n}` }),
      ];
      for (const one of path) await tenant.get(one);
    }
    const text = await (await fetch(collector.metricsUrl ?? '')).text();
    expect(text).not.toMatch(
      new RegExp([account.id, account.name, collector.apiKey, 'their key', 'page-1'].join('|')),
    );
    // A few classes and statuses may have come.
    expect(text.split('\n').length - before).toBeLessThan(50);
  });

  it('are on a separate port: nowhere without the option, and nothing else is there', async () => {
    const { port } = new URL(collector.metricsUrl ?? '');
    expect(collector.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(port).not.toBe(new URL(collector.url).port);
    const other = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
    expect((await other('/metrics', 'POST')).status).toBe(405);
    for (const path of ['/', '/health/live', API.traces.list.path])
      expect((await other(path)).status).toBe(404);
    const answer = await request(collector.url).get('/metrics');
    expect(answer.text).not.toContain('dacapo_');
    const silentCollector = await startCollector({ port: 0, storage: 'memory', logger: SILENT });
    expect(silentCollector.metricsUrl).toBeUndefined();
    await silentCollector.close();
  });

  it('report a port in use, and an invalid option', async () => {
    const start = (port: number) =>
      startCollector({ port: 0, storage: 'memory', logger: SILENT, metrics: { port } });
    await expect(start(Number(new URL(collector.metricsUrl ?? '').port))).rejects.toThrow(PortInUseError);
    await expect(start(-1)).rejects.toThrow(InvalidOptionError);
  });

  it('are described in docs/operations.md, each with its labels, and nothing else is', async () => {
    const storage = await openInMemoryStorage(new SystemClock());
    const document = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');
    const documented = [...document.matchAll(/^\| `(dacapo_\w+)(?:\{([\w,]+)\})?` \| (\w+) \|/gm)].map(
      ([, name, labels = '', type]) => `${name} ${labels} ${type}`,
    );
    const metrics = new ServiceMetrics(new MemoryBudget(64 * 1024 * 1024), storage);
    await storage.close();
    const registered = (await metrics.registry.getMetricsAsJSON()).map(({ name, type }) => {
      const { labelNames } = metrics.registry.getSingleMetric(name) as unknown as { labelNames: string[] };
      return `${name} ${labelNames.join(',')} ${type}`;
    });
    expect(documented.sort()).toEqual(registered.sort());
  });
});
