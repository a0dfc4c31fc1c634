/** Sends spans to a collector at a fixed rate, in batches of a hundred, until it gets a stop message. */
import { openClient } from './client.mjs';
import { makeSpans, toBatches } from './records.mjs';

const BATCH_SIZE = 100;
const [url, apiKey, rate] = process.argv.slice(2);
const client = openClient(url, apiKey, 8);
const latencies = [];
const sending = new Set();
const started = performance.now();

async function send() {
  const now = new Date().toISOString();
  const spans = makeSpans(BATCH_SIZE).map((span) => ({ ...span, started_at: now, ended_at: now }));
  const [body] = toBatches(spans, BATCH_SIZE);
  const sentAt = performance.now();
  await client.ingest(Buffer.from(body));
  latencies.push(performance.now() - sentAt);
}

const timer = setInterval(
  () => {
    const due = Math.floor(((performance.now() - started) / 1000) * (Number(rate) / BATCH_SIZE));
    while (latencies.length + sending.size < due) {
      const sent = send().finally(() => sending.delete(sent));
      sending.add(sent);
    }
  },
  (BATCH_SIZE / Number(rate)) * 1000,
);
process.send('ready');
process.once('message', async () => {
  clearInterval(timer);
  await Promise.all(sending);
  const seconds = (performance.now() - started) / 1000;
  client.close();
  process.send({ latencies, rate: Math.round((latencies.length * BATCH_SIZE) / seconds) });
  process.disconnect();
});
