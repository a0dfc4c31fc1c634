/** Sends batches over several connections, and repeats some acknowledged ones. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Collector } from './collector.mjs';

const SENDERS = 4;
const SPANS_IN_A_BATCH = 20;
/** Random lifetime of a process after it is ready. */
const LIFE_MS = 1500;

export async function duringIngest({ dataDir, random, kills, report }) {
  /** All batches. Rejected and interrupted ones are sent again with the same id. */
  const batches = [];
  const waiting = [];
  let apiKey;

  function newBatch() {
    const spans = Array.from({ length: SPANS_IN_A_BATCH }, () => ({
      id: randomBytes(8).toString('hex'),
      trace_id: randomUUID(),
      trace_function_key: 'crash',
      name: 'crash',
      type: 'llm',
      status: 'ok',
      started_at: '2026-01-31T12:00:00.000000Z',
      ended_at: '2026-01-31T12:00:01.000000Z',
      duration_ms: 1000,
      span_data: { input: ['x'.repeat(random.below(8000))], output: 'y' },
    }));
    const batch = { id: randomUUID(), spans, acknowledged: 0 };
    batches.push(batch);
    return batch;
  }

  async function send(url, batch) {
    const answer = await fetch(`${url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/x-ndjson', 'dacapo-batch-id': batch.id },
      body: batch.spans.map((span) => JSON.stringify({ span })).join('\n'),
    });
    const body = await answer.json();
    if (answer.status !== 200 || body.accepted !== SPANS_IN_A_BATCH) {
      throw new Error(`${answer.status} ${JSON.stringify(body)}`);
    }
    batch.acknowledged++;
  }

  async function sendUntilKilled(url) {
    for (;;) {
      // Sometimes repeat an acknowledged batch, as after a lost response.
      const again = random.chance(0.1) ? random.pick(batches) : undefined;
      const batch = waiting.pop() ?? again ?? newBatch();
      try {
        await send(url, batch);
      } catch (error) {
        if (batch.acknowledged === 0) waiting.push(batch);
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  }

  for (let kill = 1; kill <= kills; kill++) {
    const collector = await Collector.start(dataDir);
    apiKey ??= collector.apiKey;
    if (batches.length === 0) await send(collector.url, newBatch());
    const senders = Array.from({ length: SENDERS }, () => sendUntilKilled(collector.url));
    await sleep(random.below(LIFE_MS));
    await collector.kill();
    await Promise.all(senders);
    report(kill, `${batches.length} batches, ${waiting.length} cut off`);
  }

  const problems = [];
  const last = await Collector.start(dataDir);
  const client = last.client(apiKey);
  for (const { spans } of batches.filter((batch) => batch.acknowledged > 0)) {
    for (const { id, trace_id } of spans) {
      const { status } = await client.ask('GET', `/api/v1/traces/${trace_id}/spans/${id}`);
      if (status !== 200) problems.push(`span ${id} was acknowledged and is not there: ${status}`);
    }
  }
  for (const batch of waiting) await send(last.url, batch);
  const stored = await client.countSpans('crash');
  const sent = batches.length * SPANS_IN_A_BATCH;
  if (stored !== sent) problems.push(`${sent} spans were sent, and ${stored} are stored`);
  await last.kill('SIGTERM');
  return problems;
}
