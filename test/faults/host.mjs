/**
 * A small application for fault tests: `node host.mjs <scenario as JSON>`.
 *
 * Calls the functions in `host-calls.mjs`, traced or not, and immediately writes the id of each ended span to `ledger`. Writes
 * errors from `onError` to `errors`.
 */
import cluster from 'node:cluster';
import { openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Tracer } from '@dacapo/tracer';
import { CALLS, MASKS } from './host-calls.mjs';

const scenario = isMainThread ? JSON.parse(process.argv[2]) : workerData;
const { url, apiKey, spoolDir, delivery, ledger, errors, traced, misbehaviour, mask } = scenario;
const { calls, bytes, callsATick, pauseMs, end } = scenario;

const note = (path) => {
  const descriptor = openSync(path, 'a');
  return (line) => writeSync(descriptor, `${line}\n`);
};
const noteSent = note(ledger);
const noteError = note(errors);

const tracer = new Tracer({
  apiKey,
  serviceUrl: url,
  enabled: traced,
  capture: mask === undefined ? {} : { redact: MASKS[mask] },
  delivery: { spoolDir, intervalMs: 100, retryMinDelayMs: 20, retryMaxDelayMs: 200, ...delivery },
  onError: ({ code, reason, count, ids, message }) =>
    noteError(JSON.stringify({ code, reason, count, ids, message })),
});

const call = CALLS[misbehaviour](tracer);

async function work() {
  const question = 'q'.repeat(bytes);
  let characters = 0;
  for (let number = 0; number < calls; number++) {
    const called = call(question, number);
    const { text, ids } = called instanceof Promise ? await called : called;
    characters += text.length;
    if (traced) for (const id of ids) noteSent(id);
    if (callsATick > 0 && number % callsATick === callsATick - 1) await sleep(pauseMs);
  }
  return characters;
}

const ends = {
  natural: () => {},
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('the host failed');
  },
  reject: () => {
    void Promise.reject(new Error('the host failed'));
  },
  shutdown: async () => {
    await tracer.shutdown();
    console.log('shut down');
  },
  'flush and shut down': async () => {
    await tracer.flush(60_000);
    await tracer.shutdown();
    console.log('shut down');
  },
  'heap exhaustion': () => {
    const hoard = [];
    for (;;) hoard.push(new Array(1000).fill(hoard.length));
  },
  sigterm: () => process.kill(process.pid, 'SIGTERM'),
  stay: () => {
    setInterval(() => {}, 1000);
    console.log('staying');
  },
  'shut down on SIGTERM': () => {
    const alive = setInterval(() => {}, 1000);
    process.once('SIGTERM', async () => {
      await tracer.shutdown();
      clearInterval(alive);
      process.kill(process.pid, 'SIGTERM');
    });
    console.log('staying');
  },
  'flush and shut down on SIGTERM': () => {
    const alive = setInterval(() => {}, 1000);
    process.once('SIGTERM', async () => {
      await tracer.flush(60_000);
      await tracer.shutdown();
      clearInterval(alive);
      process.kill(process.pid, 'SIGTERM');
    });
    console.log('staying');
  },
  'work on': async () => {
    parentPort?.postMessage('worked once');
    for (;;) await work();
  },
};

if (isMainThread && scenario.threads > 0) {
  const workers = Array.from(
    { length: scenario.threads },
    () => new Worker(new URL(import.meta.url), { workerData: scenario }),
  );
  if (scenario.terminateAfterSpans !== undefined) {
    while (readFileSync(ledger, 'utf8').split('\n').length <= scenario.terminateAfterSpans) await sleep(10);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
} else if (cluster.isPrimary && scenario.processes > 0) {
  for (let index = 0; index < scenario.processes; index++) cluster.fork();
} else {
  console.log(`answered with ${await work()} characters`);
  if (cluster.isWorker) cluster.worker.disconnect();
  await ends[end]();
}
