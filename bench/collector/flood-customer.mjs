/** Repeatedly sends a batch of ten spans and reads a list, and measures both. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from './client.mjs';
import { makeSpans, toBatches } from './records.mjs';

const PAUSE_MS = 20;
const [url, apiKey] = process.argv.slice(2);
const client = openClient(url, apiKey, 2);
const latencies = { ingest: [], list: [] };
let isOver = false;

async function repeat(of, ask) {
  while (!isOver) {
    const begun = performance.now();
    await ask();
    latencies[of].push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
}

function figures(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)] ?? Infinity;
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), longestMs: at(1) };
}

process.send('ready');
const working = [
  repeat('ingest', () => client.ingest(Buffer.from(toBatches(makeSpans(10), 10)[0]))),
  repeat('list', () => client.get('/api/v1/traces?limit=50')),
];
process.once('message', async () => {
  isOver = true;
  await Promise.all(working);
  client.close();
  process.send({ ingest: figures(latencies.ingest), list: figures(latencies.list) });
  process.disconnect();
});
