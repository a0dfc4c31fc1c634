import { URLSearchParams } from 'node:url';
import { CUSTOMERS, KEYS, LONG_SESSION, MODELS, SESSIONS, TEST_RUNS } from './build-database.mjs';

const DAY_MS = 24 * 3600 * 1000;
/** One time for all reads, so that engines that are asked one after the other start from the same trace. */
const NOW = Date.now();
const daysAgo = (days) => new Date(NOW - days * DAY_MS).toISOString();
const pick = (list, round) => list[(round * 7) % list.length];

/** Conditions for lists of traces, with new values each round: names for tables, and query parameters. */
const CONDITIONS = {
  key: (round) => ({ trace_function_key: pick(KEYS, round) }),
  session: (round) => ({ session_id: `session-${(round * 331) % SESSIONS}` }),
  'long session': () => ({ session_id: LONG_SESSION }),
  error: () => ({ status: 'error' }),
  ok: () => ({ status: 'ok' }),
  unfinished: () => ({ status: 'unfinished' }),
  since: (round) => ({ since: daysAgo(1 + (round % 20)) }),
  until: (round) => ({ until: daysAgo(1 + (round % 20)) }),
  'test run': (round) => ({ test_run_id: `run-${(round * 3) % TEST_RUNS}` }),
  recorded: () => ({ replays: 'exclude' }),
  scored: () => ({ score: 'helpful' }),
  'low score': () => ({ score: 'helpful', score_below: '1' }),
  name: () => ({ name: 'answer' }),
  'rare name': () => ({ name: 'refund' }),
  type: (round) => ({ type: pick(['llm', 'function'], round) }),
  model: (round) => ({ model: pick(MODELS, round) }),
  'rare model': () => ({ model: 'gpt-5-nano' }),
  slow: (round) => ({ min_duration_ms: String(900 + (round % 99)) }),
  quick: (round) => ({ max_duration_ms: String(101 + (round % 99)) }),
  'many tokens': (round) => ({ min_tokens: String(4000 + round) }),
  'few tokens': (round) => ({ max_tokens: String(2900 + round) }),
  dear: () => ({ min_cost_usd: '0.02' }),
  cheap: () => ({ max_cost_usd: '0.003' }),
  customer: (round) => ({ 'metadata.customer': String((round * 17) % CUSTOMERS) }),
  tier: (round) => ({ 'metadata.tier': pick(['free', 'team', 'company'], round) }),
  'text of one': (round) => ({ text: `R${(round * 1237) % 100_000}-3` }),
  'text of some': () => ({ text: '"took too long"' }),
  'text of all': () => ({ text: 'customer "with a neighbour"' }),
  'text, a beginning': (round) => ({ text: `R${100 + ((round * 37) % 900)}*` }),
  'by duration': () => ({ sort: 'duration_ms' }),
  'by tokens': () => ({ sort: 'tokens' }),
  'by cost': () => ({ sort: 'cost_usd' }),
};

/** Combinations of conditions. */
const TOGETHER = [
  ...['error', 'ok', 'recorded', 'since', 'until', 'session', 'long session', 'test run', 'scored'].map(
    (other) => ['key', other],
  ),
  ...['low score', 'customer', 'tier', 'model', 'rare model', 'type', 'rare name', 'slow', 'dear'].map(
    (other) => ['key', other],
  ),
  ['key', 'error', 'recorded'],
  ['key', 'error', 'until'],
  ['key', 'session', 'error'],
  ...['error', 'recorded', 'until', 'scored', 'tier', 'slow'].map((other) => ['session', other]),
  ...['error', 'recorded', 'until', 'scored', 'tier', 'slow'].map((other) => ['long session', other]),
  ...['recorded', 'until', 'scored', 'model', 'rare model', 'tier', 'customer', 'slow'].map((other) => [
    'error',
    other,
  ]),
  ['ok', 'recorded'],
  ['unfinished', 'since'],
  ...['error', 'scored', 'model'].map((other) => ['test run', other]),
  ...['dear', 'slow', 'until', 'tier', 'scored'].map((other) => ['model', other]),
  ['rare model', 'dear'],
  ['tier', 'until'],
  ['tier', 'customer'],
  ['slow', 'until'],
  ['slow', 'dear'],
  ...['key', 'error', 'until', 'session', 'long session', 'tier', 'slow'].map((other) => [
    'text of all',
    other,
  ]),
  ...['key', 'error', 'model'].map((other) => ['text of one', other]),
  ...['key', 'recorded'].map((other) => ['text of some', other]),
  ['text of all', 'by duration'],
  ...['by duration', 'by tokens', 'by cost'].flatMap((sort) =>
    [
      'key',
      'error',
      'since',
      'until',
      'recorded',
      'session',
      'long session',
      'test run',
      'model',
      'tier',
      'scored',
      'slow',
    ].map((other) => [other, sort]),
  ),
];

/** Conditions that begin far down in a list, by sort order. */
const FAR_DOWN = new Map([
  [undefined, (round) => ({ until: daysAgo(2 + round) })],
  ['duration_ms', (round) => ({ max_duration_ms: String(900 - 40 * round) })],
  ['tokens', (round) => ({ max_tokens: String(6000 - 150 * round) })],
  ['cost_usd', (round) => ({ max_cost_usd: String(0.02 - 0.0008 * round) })],
]);

/** Reads by name. Each round has new parameters; the first call of a read may look up what later ones start from. */
export async function buildReads(client) {
  const buildQuery = (names, round) =>
    Object.assign({ limit: '50' }, ...names.map((name) => CONDITIONS[name](round)));
  const list = (query) => client.get(`/api/v1/traces?${new URLSearchParams(query)}`);
  /** Cursors far down in the list, by sort order. Found when first needed. */
  const deepCursors = new Map();
  const findDeepCursors = async (sort) => {
    const cursors = [];
    for (let round = 0; round < 20; round++) {
      const query = { limit: '1', ...(sort && { sort }), ...FAR_DOWN.get(sort)(round) };
      const { next_cursor } = await list(query);
      cursors.push(next_cursor);
    }
    return cursors;
  };
  const deep = (names) => async (round) => {
    const query = buildQuery(names, round);
    if (!deepCursors.has(query.sort)) deepCursors.set(query.sort, findDeepCursors(query.sort));
    const cursors = await deepCursors.get(query.sort);
    return list({ ...query, cursor: cursors[round % 20] });
  };
  const traces = [[], ...Object.keys(CONDITIONS).map((name) => [name]), ...TOGETHER].flatMap((names) => {
    const name = ['traces', ...names].join(', ');
    return [
      [name, (round) => list(buildQuery(names, round))],
      [`${name}, a later page`, deep(names)],
    ];
  });
  const { items } = await client.get('/api/v1/traces?limit=200');
  const search = (body) => client.post('/api/v1/calls/search', { limit: 50, ...body });
  const metrics = (query) =>
    client.get(`/api/v1/metrics?${new URLSearchParams({ since: daysAgo(30), ...query })}`);
  return {
    ...Object.fromEntries(traces),
    sessions: () => client.get('/api/v1/sessions'),
    'sessions, a later page': async () => {
      const { next_cursor } = await client.get('/api/v1/sessions?limit=200');
      return client.get(`/api/v1/sessions?cursor=${next_cursor}`);
    },
    'sessions, scored': () => client.get('/api/v1/sessions?score=helpful'),
    'sessions, low score': () => client.get('/api/v1/sessions?score=helpful&score_below=1'),
    'one trace': (round) => client.get(`/api/v1/traces/${pick(items, round).id}`),
    keys: () => client.get('/api/v1/trace-function-keys'),
    scores: () => client.get('/api/v1/scores'),
    'calls of a key': (round) => search({ trace_function_key: pick(KEYS, round) }),
    'calls of a key, a time': (round) =>
      search({ trace_function_key: pick(KEYS, round), until: daysAgo(1 + (round % 20)) }),
    'calls of a key, errors': (round) => search({ trace_function_key: pick(KEYS, round), status: 'error' }),
    'calls of a key, a text': (round) =>
      search({ trace_function_key: pick(KEYS, round), text: `R${100 + round}*` }),
    'calls of a key, a session': (round) =>
      search({ trace_function_key: pick(KEYS, round), session_id: `session-${(round * 331) % SESSIONS}` }),
    'metrics of a month, keys': () => metrics({}),
    'metrics of a month, keys by the day': () => metrics({ bucket: 'day' }),
    'metrics of a month, traces by the day': () => metrics({ of: 'traces', bucket: 'day' }),
    'metrics of a month, one key by the hour': (round) =>
      metrics({ trace_function_key: pick(KEYS, round), bucket: 'hour' }),
    'metrics of a month, keys with replays': () => metrics({ replays: 'include' }),
  };
}
