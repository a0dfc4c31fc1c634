import { newSpanId } from '@dacapo/protocol';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openClient } from './client.mjs';

const { openSqliteStorage } = createRequire(import.meta.url)(
  '../../libs/collector/dist/cjs/storage/engines/sqlite/open-sqlite-storage.js',
);

const SPANS_IN_A_TRACE = 10;
const BATCH_SIZE = 500;
const BATCHES_AT_A_TIME = 4;
const DAYS = 30;
const DAY_MS = 24 * 3600 * 1000;
export const KEYS = Array.from({ length: 50 }, (_, n) => `Support.method${n}`);
export const SESSIONS = 20_000;
/** Session of one trace in forty. */
export const LONG_SESSION = 'session-long';
export const CUSTOMERS = 5_000;
export const TEST_RUNS = 20;
export const MODELS = ['gpt-5', 'gpt-5-mini', 'claude-sonnet-5'];
const DOLLARS_OF_A_MILLION = { 'gpt-5': [1.25, 10], 'gpt-5-mini': [0.25, 2], 'claude-sonnet-5': [3, 15] };
const STATUSES = ['error', 'cancelled', 'unfinished'];
const TEXT = 'The customer asks when the parcel will arrive, and whether it can be left with a neighbour. ';

/**
 * Creates a data directory with spans of the last thirty days, ten per trace. One trace in ten is a replay of the last two days,
 * one in thirty has a failed span, one in forty belongs to one long session, and one in a thousand has a span with a unique name
 * and model. The directory is created once; `--rebuild` creates it again.
 */
export async function buildDatabase(directory, count, rebuild) {
  const note = join(directory, 'bench.json');
  if (!rebuild && existsSync(note)) return JSON.parse(readFileSync(note, 'utf8'));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { apiKey, accountId } = await makeAccount(directory);
  const storage = await openSqliteStorage(directory, { nowUs: () => Date.now() * 1000 });
  const batches = makeBatches(count);
  const put = async () => {
    for (const batch of batches) await storage.spans.ingest(accountId, batch);
  };
  await Promise.all(Array.from({ length: BATCHES_AT_A_TIME }, put));
  const hour = { sinceUs: 0, untilUs: 3600e6, replays: 'exclude' };
  while ((await storage.spans.readMetrics(accountId, hour)).waitingBatches > 0);
  while ((await storage.spans.textsWaitSince()) !== undefined) await setTimeout(1000);
  await storage.close();
  writeFileSync(note, JSON.stringify({ apiKey }));
  return { apiKey };
}

/** Starts the service, which creates the first account and its key. */
async function makeAccount(directory) {
  const service = fork(join(import.meta.dirname, 'collector-process.mjs'), [directory]);
  const [{ url, apiKey }] = await once(service, 'message');
  const client = openClient(url, apiKey, 1);
  const { id: accountId } = await client.get('/api/v1/account');
  client.close();
  service.send('stop');
  await once(service, 'exit');
  return { apiKey, accountId };
}

/** Batches of spans of the last thirty days, and of scores. */
export function* makeBatches(count) {
  const now = Date.now();
  const traces = Math.ceil(count / SPANS_IN_A_TRACE);
  let spans = [];
  let scores = [];
  for (let trace = 0; trace < traces; trace++) {
    spans.push(...makeTrace(trace, traces, now));
    if (trace % 20 === 0) scores.push(makeScore(trace, spans.at(-1)));
    if (spans.length < BATCH_SIZE && trace < traces - 1) continue;
    yield { spans, scores, costs: toCosts(spans), traces: [], receivedAt: new Date(now).toISOString() };
    spans = [];
    scores = [];
    if (trace % 5000 < BATCH_SIZE / SPANS_IN_A_TRACE) {
      process.stderr.write(`· ${(trace + 1) * SPANS_IN_A_TRACE} of ${count} spans\n`);
    }
  }
}

function makeTrace(number, traces, now) {
  const isReplay = number % 10 === 9;
  const isRare = number % 1000 === 0;
  const days = isReplay ? 2 : DAYS;
  const startMs = now - days * DAY_MS * (1 - number / traces);
  const trace_id = uuidAt(startMs);
  const root = newSpanId();
  return Array.from({ length: SPANS_IN_A_TRACE }, (_, index) => {
    const failed = index === 3 && number % 30 === 0;
    const status = failed ? STATUSES[(number / 30) % STATUSES.length] : 'ok';
    const durationMs = 100 + ((number * 37 + index) % 900);
    const time = (ms) => new Date(ms).toISOString();
    return {
      id: index === 0 ? root : newSpanId(),
      trace_id,
      ...(index > 0 && { parent_id: root }),
      trace_function_key: KEYS[(number + index * 7) % KEYS.length],
      name: isRare && index === 6 ? 'refund' : 'answer',
      type: index % 3 === 0 ? 'llm' : 'function',
      status,
      started_at: time(startMs + index),
      ...(status !== 'unfinished' && {
        ended_at: time(startMs + index + durationMs),
        duration_ms: durationMs,
      }),
      ...(isReplay && {
        test_run_id: `run-${Math.floor(number / 10) % TEST_RUNS}`,
        source_span_id: newSpanId(),
      }),
      ...(index === 0 && {
        session_id: number % 40 === 0 ? LONG_SESSION : `session-${number % SESSIONS}`,
        trace_metadata: { tier: ['free', 'team', 'company'][number % 3], customer: number % CUSTOMERS },
      }),
      span_data: {
        input: [{ ticket: number, messages: [{ role: 'user', content: TEXT.repeat(5) }] }],
        output: { text: TEXT.repeat(4), reference: `R${number}-${index}` },
        ...(failed && status === 'error' && { error: { name: 'TimeoutError', message: 'took too long' } }),
        ...(index % 3 === 0 && {
          usage: {
            model: isRare && index === 6 ? 'gpt-5-nano' : MODELS[number % MODELS.length],
            input_tokens: 500 + (number % 900),
            output_tokens: 200,
          },
        }),
      },
    };
  });
}

function toCosts(spans) {
  const costs = new Map();
  for (const span of spans) {
    const { model, input_tokens, output_tokens } = span.span_data.usage ?? {};
    const [input, output] = DOLLARS_OF_A_MILLION[model] ?? [];
    if (input === undefined) continue;
    const usd = (input_tokens * input + output_tokens * output) / 1e6;
    costs.set(span, { usd, priceVersion: 'bench' });
  }
  return costs;
}

/** A score of a trace. One in five scores a session instead. */
function makeScore(number, { trace_id, started_at }) {
  const author = { kind: 'person', name: 'ann' };
  return {
    id: uuidAt(Date.parse(started_at)),
    name: 'helpful',
    value: (number / 20) % 7,
    author,
    created_at: started_at,
    ...(number % 100 === 60 ? { session_id: `session-${number % SESSIONS}` } : { trace_id }),
  };
}

/** UUIDs of version 7 like those of the SDK, so that ids of similar times are neighbours. */
function uuidAt(ms) {
  const time = Math.floor(ms).toString(16).padStart(12, '0');
  const random = `${newSpanId()}${newSpanId()}`;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}
