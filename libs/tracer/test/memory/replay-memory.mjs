// Memory of long replays: `node libs/tracer/test/memory/replay-memory.mjs`. Needs a build.
// Plays 20,000 calls of 2 kB and 1,000 of 200 kB, of which every hundredth changes, in a process with a heap of 512 MB.
// The service is a stand-in of its own process, which makes the calls up as they are asked for. Ends with 1 when it fails.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tracer } from '../../dist/esm/index.js';

const RUNS = [
  { calls: 20_000, bytes: 2_000 },
  { calls: 1_000, bytes: 200_000 },
];
const PAGE_SIZE = 50;

if (process.argv[2] === 'service') serve();
else if (process.argv[2] === 'replay') await replay();
else await main();

async function main() {
  for (const { calls, bytes } of RUNS) {
    const service = fork(import.meta.filename, ['service', String(calls), String(bytes)]);
    const [url] = await once(service, 'message');
    const child = fork(import.meta.filename, ['replay', url, String(calls)], {
      execArgv: ['--max-old-space-size=512'],
    });
    const [code] = await once(child, 'exit');
    service.kill();
    if (code !== 0) process.exitCode = 1;
  }
}

/** What every answer about a run has. */
const RUN = {
  id: 'run',
  url: 'u',
  trace_function_key: 'desk',
  status: 'running',
  created_at: '2026-01-31T12:00:00.000000Z',
  heartbeat_at: '2026-01-31T12:00:00.000000Z',
  totals: {
    items: 0,
    same: 0,
    changed: 0,
    unknown: 0,
    error: 0,
    new_errors: 0,
    flaky: 0,
    fixed: 0,
    failing_as_before: 0,
    accepted: 0,
    diverged: 0,
  },
};

async function replay() {
  const [, , , serviceUrl, calls] = process.argv;
  const spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-memory-'));
  const tracer = new Tracer({ apiKey: 'k', serviceUrl, delivery: { spoolDir } });
  let mostMb = 0;
  const run = await tracer.replay('desk', (text) => (text.startsWith('7 ') ? 'changed' : text), {
    keep: 'failed',
    onItem: () => (mostMb = Math.max(mostMb, process.memoryUsage().heapUsed / 2 ** 20)),
  });
  const { items, same, changed, missing } = run.totals;
  console.log(`${items} items, ${run.items.length} kept, at most ${mostMb.toFixed(0)} MB of heap`);
  if (items !== Number(calls) || changed !== run.items.length || same + changed !== items || missing > 0)
    throw new Error(JSON.stringify(run.totals));
  await tracer.shutdown();
  rmSync(spoolDir, { recursive: true });
}

function serve() {
  const [, , , calls, bytes] = process.argv.map(Number);
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const answer = answerTo(new URL(request.url, 'http://service'), body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  const answerTo = ({ pathname, searchParams }, body) => {
    if (pathname.endsWith('/ingest'))
      return { accepted: body.split('\n').filter(Boolean).length, rejected: [] };
    if (pathname.endsWith('/items')) return { accepted: JSON.parse(body).items.length, rejected: [] };
    if (!pathname.endsWith('/calls'))
      return { ...RUN, items: [], selection: { items: calls, missing: 0, skipped: {} } };
    const from = Number(searchParams.get('cursor') ?? 0);
    const end = Math.min(from + PAGE_SIZE, calls);
    return {
      items: Array.from({ length: end - from }, (_, index) => call(from + index)),
      ...(end < calls && { next_cursor: String(end) }),
    };
  };
  const call = (no) => {
    const text = `${no % 100} ${'x'.repeat(bytes)}`;
    const id = no.toString(16).padStart(12, '0');
    return {
      item_no: no,
      trace_id: `01890000-0000-7000-8000-${id}`,
      call: {
        trace_id: `01890000-0000-7000-8000-${id}`,
        span_id: id.padStart(16, '1'),
        name: 'desk',
        type: 'llm',
        status: 'ok',
        started_at: '2026-01-31T12:00:00.000000Z',
        duration_ms: 1,
        input: [text],
        output: text,
        descendants: [],
      },
    };
  };
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
}
