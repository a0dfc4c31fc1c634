// Kills and resumes an evaluation of ten thousand items with three evaluators. Run `node test/evaluation/ten-thousand.mjs` after a build.
// The service is a real collector in this process. Exits with 1 if an item or a score is missing, or memory grows.
import { startCollector } from '@dacapo/collector';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ITEMS = 10_000;
const KILLED_AFTER = 4_000;
/** Heap bytes per item: the numbers of each repetition stay in memory for the randomization test, outputs do not. */
const MOST_BYTES_AN_ITEM = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'dacapo-many-'));
const collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
const { url, apiKey } = collector;

const start = (env) =>
  spawn(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=256', join(import.meta.dirname, 'evaluate-many.mjs')],
    {
      env: { ...process.env, ITEMS, TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: url, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );

const newestRun = async () => {
  const answer = await fetch(`${url}/api/v1/test-runs?limit=1`, { headers: { 'api-key': apiKey } });
  return (await answer.json()).items[0];
};

const first = start({});
let run;
while ((run?.totals.items ?? 0) < KILLED_AFTER) {
  if (first.exitCode !== null) throw new Error('the program finished before it was killed');
  await sleep(50);
  run = await newestRun();
}
first.kill('SIGKILL');
await once(first, 'exit');
console.log(`killed after ${run.totals.items} items`);

const second = start({ RESUME: run.id });
let out = '';
second.stdout.on('data', (chunk) => (out += chunk));
const [code] = await once(second, 'close');
const result = code === 0 ? JSON.parse(out) : undefined;
const stored = await newestRun();
await collector.close();
rmSync(folder, { recursive: true });

const { totals, scores, heapMb, replayed, status, failures } = result ?? {};
console.log(
  `${totals?.items} items, ${replayed} of them replayed after the kill; heap in MB: ${heapMb?.join(', ')}`,
);
console.log(JSON.stringify({ status, scores, failures }));
// The last value is from after the items were released.
const grown = (Math.max(...(heapMb ?? [])) - (heapMb?.[0] ?? 0)) * 2 ** 20;
const isWhole = Object.values(scores ?? {}).every(({ n, missing }) => n === ITEMS && missing === 0);
if (
  totals?.items !== ITEMS ||
  totals.missing > 0 ||
  stored.totals.items !== ITEMS ||
  status !== 'finished' ||
  !isWhole
)
  throw new Error(`Missing items or scores: ${JSON.stringify({ totals, stored: stored.totals })}`);
if (grown > replayed * MOST_BYTES_AN_ITEM) throw new Error(`The heap grew by ${grown} bytes`);
