import { HEADERS, type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type CollectorProcess, spawnCollector } from './support/spawn-collector.js';
import { span, spansToNdjson } from './support/records.js';
import { createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HEAP_MB = 128;
/** The heap, and what Node, SQLite's caches and the buffers of sockets take beside it. */
const MOST_RSS_MB = 600;

const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
let collector: CollectorProcess;

beforeAll(async () => {
  collector = await spawnCollector(temporaryDirectory(), [`--max-old-space-size=${HEAP_MB}`]);
});

interface Answer {
  status: number;
  retryAfter: string | undefined;
}

/** Sends the parts of one body; a connection that the service ends early counts as status 0. */
function send(
  parts: readonly Buffer[],
  headers: Record<string, string> = {},
  then: 'end' | 'leave' = 'end',
): Promise<Answer> {
  return new Promise((resolve) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const sent = request(
      new URL(API.ingest.send.path, collector.url),
      {
        method: 'POST',
        agent,
        headers: {
          [HEADERS.apiKey]: collector.apiKey ?? '',
          'content-type': 'application/x-ndjson',
          'content-length': length,
          ...headers,
        },
      },
      (answer) => {
        answer.resume().once('end', () => {
          resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] });
        });
      },
    );
    sent
      .once('error', () => undefined)
      .once('close', () => {
        resolve({ status: 0, retryAfter: undefined });
      });
    for (const part of parts) {
      sent.write(part, () => {
        if (then === 'leave') sent.destroy();
      });
    }
    if (then === 'end') sent.end();
  });
}

/** Of the process so far, from the kernel. */
function mostRssMb(): number {
  const status = readFileSync(`/proc/${String(collector.child.pid)}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function expectAlive(): Promise<void> {
  expect((await fetch(collector.url + API.service.live.path)).status).toBe(200);
  expect(collector.child.exitCode).toBeNull();
  if (process.platform === 'linux') expect(mostRssMb()).toBeLessThan(MOST_RSS_MB);
}

async function readStatuses(spans: readonly SpanRecord[]): Promise<number[]> {
  const reader = createTenant(collector.url, '', collector.apiKey ?? '');
  const statuses: number[] = [];
  for (const { trace_id, id } of spans)
    statuses.push((await reader.get(`${API.traces.list.path}/${trace_id}/spans/${id}`)).status);
  return statuses;
}

describe(`a collector with a heap of ${HEAP_MB} MB`, () => {
  it('rejects 100 compressed bodies at once that each expand a thousandfold, and accepts the next batch', async () => {
    const bomb = gzipSync(Buffer.alloc(72e6, ' '));
    expect(bomb.length).toBeLessThan(75_000);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => send([bomb], { 'content-encoding': 'gzip' })),
    );
    expect(answers.filter(({ status }) => status !== 413 && status !== 429)).toEqual([]);
    await expectAlive();
    expect(await send([Buffer.from(spansToNdjson([span()]))])).toMatchObject({ status: 200 });
  });

  it('survives 800 batches of 1 MiB at once: acknowledged ones are stored once, the rest may be retried', async () => {
    const filling = Buffer.from(
      `\n${spansToNdjson([span({ trace_function_key: 'filling', span_data: { output: 'x'.repeat(1024 * 1024) } })])}`,
    );
    const spans = Array.from({ length: 800 }, () => span({ trace_function_key: 'batch' }));
    const answers = await Promise.all(
      spans.map((one) => send([Buffer.from(spansToNdjson([one])), filling], { [HEADERS.batchId]: one.id })),
    );
    await expectAlive();
    const acknowledged = spans.filter((_, at) => answers[at]?.status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(
      refused.filter(({ status, retryAfter }) => status !== 429 || !/^[1-5]$/.test(retryAfter ?? '')),
    ).toEqual([]);
    expect(new Set(await readStatuses(acknowledged))).toEqual(new Set([200]));
    const reader = createTenant(collector.url, '', collector.apiKey ?? '');
    const { body } = await reader.get(API.traces.listKeys.path);
    expect(body.items).toContainEqual(
      expect.objectContaining({ trace_function_key: 'batch', span_count: acknowledged.length }),
    );
  });

  it('survives bodies whose values take far more memory than their text', async () => {
    const dense = Buffer.from(
      JSON.stringify({ span: span({ span_data: { output: Array.from({ length: 1e6 }, () => ({})) } }) }),
    );
    const answers = await Promise.all(Array.from({ length: 40 }, () => send([dense])));
    expect(answers.filter(({ status }) => status !== 413 && status !== 429)).toEqual([]);
    await expectAlive();
  });

  it('releases the memory of requests whose client disconnected', async () => {
    const left = Array.from({ length: 60 }, () => {
      const sent = send([Buffer.alloc(1e6, 'x')], { 'content-length': '7000000' }, 'leave');
      return sent;
    });
    await Promise.all(left);
    let status = 0;
    // The service learns a moment later that they left.
    while (status !== 200) ({ status } = await send([Buffer.alloc(7e6, ' ')]));
  });
});
