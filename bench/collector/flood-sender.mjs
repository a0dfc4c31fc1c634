/** Sends batches of 1 MB over several connections, each after the response to the previous one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from './client.mjs';
import { makeSpans, toBatches } from './records.mjs';

const MEGABYTE = 1e6;
const [url, apiKey, connections] = process.argv.slice(2);
const client = openClient(url, apiKey, Number(connections));
const [sample] = toBatches(makeSpans(100), 100);
const spans = Math.round((MEGABYTE / sample.length) * 100);
let batches = 0;
let bytes = 0;
let refused = 0;
let isOver = false;

async function send() {
  while (!isOver) {
    const body = Buffer.from(toBatches(makeSpans(spans), spans)[0]);
    try {
      await client.ingest(body);
      batches++;
      bytes += body.length;
    } catch (error) {
      if (!/answered 429/.test(error.message)) throw error;
      refused++;
      await sleep(1000);
    }
  }
}

process.send('ready');
const begun = process.cpuUsage();
const sending = Array.from({ length: Number(connections) }, send);
process.once('message', async () => {
  const { user, system } = process.cpuUsage(begun);
  isOver = true;
  process.send({ cpuSeconds: (user + system) / 1e6, batches, refused, megabytes: bytes / 1e6 });
  await Promise.all(sending);
  client.close();
  process.disconnect();
});
