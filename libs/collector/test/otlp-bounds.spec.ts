import { fromW3cTraceId } from '@dacapo/protocol';
import { readFileSync } from 'node:fs';
import { HOSTILE_BODIES } from './support/hostile-otlp.js';
import type { TestSpan } from './support/otlp-request.js';
import { sendHostile } from './support/send-hostile.js';
import { type CollectorProcess, spawnCollector } from './support/spawn-collector.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HEAP_MB = 128;
/** The heap, the heap of the thread for large spans, and what Node, SQLite's caches and the buffers of sockets take beside them. */
const MOST_RSS_MB = 700;

let collector: CollectorProcess;

beforeAll(async () => {
  collector = await spawnCollector(temporaryDirectory(), [`--max-old-space-size=${HEAP_MB}`]);
});

async function isStored({ traceId, spanId }: TestSpan): Promise<boolean> {
  const path = `/api/v1/traces/${fromW3cTraceId(traceId) ?? ''}/spans/${spanId}`;
  const headers = { 'api-key': collector.apiKey ?? '' };
  return (await fetch(new URL(path, collector.url), { headers })).status === 200;
}

/** `npm run bench:otlp:probes` measures the longest probe for each body, in a new process. */
describe('a hostile body by OTLP', () => {
  it.each(HOSTILE_BODIES)(
    'of $name is answered, its good span is stored, and probes are answered meanwhile',
    async (hostile) => {
      const { status, probes } = await sendHostile(collector, hostile);
      expect([200, 400, 413]).toContain(status);
      expect(probes.length).toBeGreaterThan(0);
      expect(new Set(probes)).toEqual(new Set([200]));
      expect(await isStored(hostile.good)).toBe(status === 200);
      if (process.platform !== 'linux') return;
      const rss = /VmHWM:\s+(\d+) kB/.exec(
        readFileSync(`/proc/${String(collector.child.pid)}/status`, 'utf8'),
      )?.[1];
      expect(Number(rss) / 1024).toBeLessThan(MOST_RSS_MB);
    },
  );
});
