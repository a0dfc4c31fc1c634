import { URLSearchParams } from 'node:url';
import { KEYS, SESSIONS, TEST_RUNS } from './build-database.mjs';

const DAY_MS = 24 * 3600 * 1000;
const daysAgo = (days) => new Date(Date.now() - days * DAY_MS).toISOString();
const pick = (list, round) => list[(round * 7) % list.length];

/** What each filter of traces is asked for; those that this collector does not have are left out. */
const FILTERS = {
  trace_function_key: (round) => pick(KEYS, round),
  session_id: (round) => `session-${(round * 331) % SESSIONS}`,
  status: (round) => pick(['error', 'ok', 'cancelled', 'unfinished'], round),
  since: (round) => daysAgo(1 + (round % 20)),
  until: (round) => daysAgo(1 + (round % 20)),
  test_run_id: (round) => `run-${(round * 3) % TEST_RUNS}`,
  replays: () => 'exclude',
  score: () => 'helpful',
  name: () => 'answer',
  type: (round) => pick(['llm', 'function'], round),
  model: (round) => pick(['gpt-5', 'gpt-5-mini', 'claude-sonnet-5'], round),
  min_duration_ms: (round) => String(900 + (round % 99)),
  max_duration_ms: (round) => String(101 + (round % 99)),
  min_tokens: (round) => String(4000 + round),
  max_tokens: (round) => String(2900 + round),
  min_cost_usd: () => '0.01',
  max_cost_usd: () => '0.01',
  metadata: (round) => `customer=${(round * 17) % 5000}`,
  sort: (round) => pick(['duration_ms', 'tokens'], round),
};

/** Many filters of one list at a time. */
const TOGETHER = [
  ['trace_function_key', 'status'],
  ['trace_function_key', 'replays'],
  ['trace_function_key', 'status', 'replays'],
  ['status', 'replays'],
  ['trace_function_key', 'since'],
  ['trace_function_key', 'score'],
  ['trace_function_key', 'session_id'],
];

/** Names of reads, and functions that do them: each round for something else. */
export async function readsOf(client) {
  const { paths } = await client.get('/api/openapi.json');
  const known = new Set(paths['/api/v1/traces'].get.parameters.map(({ name }) => name));
  const list = (names) => (round) =>
    client.get(`/api/v1/traces?${new URLSearchParams(names.map((name) => [name, FILTERS[name](round)]))}`);
  const single = Object.keys(FILTERS).filter((name) => known.has(name));
  const { items: traces } = await client.get('/api/v1/traces?limit=200');
  const search = (body) => client.post('/api/v1/calls/search', { limit: 50, ...body });
  return {
    traces: list([]),
    'traces, the next page': async (round) => {
      const until = daysAgo(1 + (round % 20));
      const { next_cursor } = await client.get(`/api/v1/traces?until=${until}&limit=1`);
      return client.get(`/api/v1/traces?until=${until}&cursor=${next_cursor}`);
    },
    ...Object.fromEntries(
      [...single.map((name) => [name]), ...TOGETHER].map((names) => [
        `traces by ${names.join(', ')}`,
        list(names),
      ]),
    ),
    sessions: () => client.get('/api/v1/sessions'),
    'sessions by score': () => client.get('/api/v1/sessions?score=helpful'),
    'one trace': (round) => client.get(`/api/v1/traces/${pick(traces, round).id}`),
    keys: () => client.get('/api/v1/trace-function-keys'),
    'calls of a key': (round) => search({ trace_function_key: pick(KEYS, round) }),
    'calls of a key and a time': (round) =>
      search({ trace_function_key: pick(KEYS, round), until: daysAgo(1 + (round % 20)) }),
    'calls that failed': (round) => search({ trace_function_key: pick(KEYS, round), status: 'error' }),
  };
}
