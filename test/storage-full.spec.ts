import { startCollector } from '@dacapo/collector';
import { type DeliveryStats, Tracer } from '@dacapo/tracer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-full-'));

afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
});

function countDropped({ dropped }: DeliveryStats): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, 0);
}

describe('an application whose service has no storage left', () => {
  it('keeps its records, and delivers all of them when there is storage again', async () => {
    const narrow = await startCollector({
      port: 0,
      dataDir,
      logger: SILENT,
      maxDatabaseBytes: 1024 * 1024,
    });
    const port = Number(new URL(narrow.url).port);
    const tracer = new Tracer({
      apiKey: narrow.apiKey ?? '',
      serviceUrl: narrow.url,
      logger: SILENT,
      onError: () => undefined,
      delivery: { spool: false },
    });
    const answer = tracer.withSpan('answer', (text: string) => text.length);
    for (let call = 0; call < 40; call++) answer(`${call}${'x'.repeat(100_000)}`);
    await tracer.flush(2000);
    const before = tracer.stats();
    expect(countDropped(before)).toBe(0);
    expect(before.waiting).toBeGreaterThan(0);
    expect((await fetch(`${narrow.url}/health/ready`)).status).toBe(503);
    await narrow.close();

    const wide = await startCollector({ port, dataDir, logger: SILENT });
    while (tracer.stats().waiting > 0) await tracer.flush(1000);
    const after = tracer.stats();
    await tracer.shutdown();
    const keys = await fetch(`${wide.url}/api/v1/trace-function-keys`, {
      headers: { 'api-key': narrow.apiKey ?? '' },
    });
    const { items } = (await keys.json()) as { items: unknown };
    await wide.close();
    expect([after.delivered, countDropped(after)]).toEqual([after.recorded, 0]);
    expect(items).toEqual([expect.objectContaining({ trace_function_key: 'answer', span_count: 40 })]);
  });
});
