import type { Storage } from '@dacapo/collector';
import {
  type CallSelection,
  type JsonObject,
  newTraceId,
  type ScoreRecord,
  SPAN_STATUSES,
  type SpanKind,
  type SpanLevel,
  type SpanRecord,
  TRACE_SORTS,
  type TraceRecord,
  type TraceSort,
} from '@dacapo/protocol';
import fc from 'fast-check';
import type { SpanCost } from '../../src/prices/price-list.js';
import type { ScoreFilter } from '../../src/storage/ports/score.js';
import type {
  CallTraceFilter,
  ListedTrace,
  SessionList,
  SpanStore,
} from '../../src/storage/ports/span-store.js';
import { parseTextQuery } from '../../src/storage/rules/text-query.js';
import type { TraceFilter } from '../../src/storage/ports/trace-filter.js';
import { CallService } from '../../src/traces/call-service.js';
import { CallTrees } from '../../src/traces/call-trees.js';
import { RecentCalls } from '../../src/traces/recent-calls.js';
import { OracleSpanStore } from '../oracle/oracle-span-store.js';
import { span, startedAt } from './records.js';

const KEYS = ['request', 'judge'];
const SESSIONS = ['ann', 'bob'];
const TRACES = ['1', '2', '3'].map((digit) => digit.repeat(32));

const METADATA: JsonObject[] = [
  { tier: 'gold', user: { plan: 'pro', seats: 5 } },
  { tier: 5, 'user.plan': 'pro' },
  { tier: '5', user: { plan: null }, late: true },
];

/** What a record may say of its trace. */
const FIELDS: Partial<SpanRecord>[] = [
  {},
  { user_id: 'ann', tags: ['beta'] },
  { user_id: 'bob@example.com', tags: ['beta', '退款', '\u{1F600}'] },
  { environment: 'production', release: '1.0' },
  { environment: 'staging', release: '1.1', user_id: 'ann', tags: [] },
];

/** Records of one span agree on what it is, and differ in how far it got. */
const spanArbitrary = fc
  .record({
    trace: fc.constantFrom(...TRACES),
    number: fc.integer({ min: 1, max: 5 }),
    status: fc.constantFrom(...SPAN_STATUSES),
    name: fc.constantFrom('ask', 'tell'),
    type: fc.constantFrom('llm' as const, 'agent' as const),
    model: fc.constantFrom(undefined, 'small', 'large'),
    tokens: fc.constantFrom(undefined, 0, 3, 5),
    said: fc.constantFrom(undefined, 'too late', 'late', '退款 too'),
    metadata: fc.constantFrom(undefined, ...METADATA),
    fields: fc.constantFrom<Partial<SpanRecord>>(...FIELDS),
    kind: fc.constantFrom<SpanKind | undefined>(undefined, 'tool', 'retrieval'),
    level: fc.constantFrom<SpanLevel | undefined>(undefined, 'info', 'error'),
  })
  .map(
    ({
      trace,
      number,
      status,
      name,
      type,
      model,
      tokens,
      said,
      metadata,
      fields,
      kind,
      level,
    }): SpanRecord => {
      const isRoot = number === 3;
      return span({
        ...fields,
        ...(kind && { kind }),
        ...(level && { level }),
        trace_id: trace,
        id: String(number).repeat(16),
        status,
        trace_function_key: isRoot ? 'request' : 'judge',
        name,
        type,
        duration_ms: number * 10,
        ...(metadata && { trace_metadata: metadata }),
        span_data: {
          ...(said !== undefined && { output: said }),
          usage: {
            ...(model && { model }),
            ...(tokens !== undefined && { input_tokens: tokens, output_tokens: 1 }),
          },
        },
        // No two begin at one time: which of them is the root is for each driver to say.
        started_at: startedAt(TRACES.indexOf(trace) * 10 + (isRoot ? 0 : 9 - number)),
        // Some are inside others, so that what both used counts once.
        ...(!isRoot && { parent_id: String(number > 3 ? number - 1 : 3).repeat(16) }),
        ...(trace === TRACES[0] && number > 2 && { test_run_id: 'run' }),
      });
    },
  );

const patchArbitrary: fc.Arbitrary<TraceRecord> = fc
  .record({
    id: fc.constantFrom(...TRACES),
    session_id: fc.constantFrom(...SESSIONS),
    fields: fc.constantFrom(...FIELDS),
  })
  .map(({ fields: { user_id, tags, environment, release }, ...patch }) => ({
    ...patch,
    ...(user_id !== undefined && { user_id }),
    ...(tags !== undefined && { tags }),
    ...(environment !== undefined && { environment }),
    ...(release !== undefined && { release }),
  }));

const scoreArbitrary = fc
  .record({
    target: fc.constantFrom(
      ...TRACES.map((trace_id) => ({ trace_id })),
      ...SESSIONS.map((session_id) => ({ session_id })),
    ),
    value: fc.constantFrom(null, 0, 1, 'yes'),
    name: fc.constantFrom('good', 'short'),
    author: fc.constantFrom('ann', 'bob'),
    second: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ target, value, name, author, second }): ScoreRecord => ({
    ...target,
    id: newTraceId(),
    name,
    value,
    created_at: startedAt(second),
    author: { kind: 'person', name: author },
  }));

const batches = fc.array(
  fc.record({
    spans: fc.array(spanArbitrary, { maxLength: 4 }),
    traces: fc.array(patchArbitrary, { maxLength: 2 }),
    scores: fc.array(scoreArbitrary, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const FILTERS: TraceFilter[] = [undefined, ...KEYS].flatMap((traceFunctionKey) =>
  [undefined, ...SPAN_STATUSES].flatMap((status) =>
    [{}, { withoutReplays: true as const }, { session_id: 'ann' }, { testRunId: 'run' }].map((more) => ({
      ...(traceFunctionKey !== undefined && { traceFunctionKey }),
      ...(status !== undefined && { status }),
      ...more,
    })),
  ),
);

const path = (text: string): string[] => text.split('.');

/** Conditions beside a key, a status, a session, times and each other. */
const MORE: TraceFilter[] = [
  { span: { name: 'ask' } },
  { span: { type: 'agent' } },
  { span: { model: 'small' } },
  { span: { name: 'tell', type: 'llm', model: 'large' } },
  { span: { kind: 'tool' } },
  { span: { level: 'error', kind: 'retrieval' } },
  { user_id: 'ann' },
  { user_id: 'bob@example.com', tags: ['beta'] },
  { tags: ['beta', '退款'] },
  { tags: ['\u{1F600}'] },
  { except_tags: ['beta'] },
  { except_tags: ['\u{1F600}', 'beta'], environment: 'staging' },
  { environment: 'staging' },
  { release: '1.0', environment: 'production' },
  { release: '1.1', span: { kind: 'tool' } },
  { span: { text: parseTextQuery('late') } },
  { span: { text: parseTextQuery('"too late"') } },
  { span: { text: parseTextQuery('退') } },
  { span: { text: parseTextQuery('lat* ask'), type: 'llm' } },
  { amounts: { duration_ms: { least: 20 } }, span: { text: parseTextQuery('too') } },
  { amounts: { duration_ms: { least: 20 } } },
  { amounts: { duration_ms: { most: 20 }, tokens: { least: 1 } } },
  { amounts: { tokens: { least: 4, most: 6 } } },
  { amounts: { cost_usd: { least: 0.5 } } },
  { amounts: { span_count: { least: 2, most: 3 } } },
  { score: { name: 'good' } },
  { score: { name: 'good', below: 1 } },
  { score: { name: 'short', is: ['yes', 1] } },
  { metadata: [{ path: path('tier'), values: ['gold'] }] },
  { metadata: [{ path: path('tier'), values: ['5', 5] }] },
  { metadata: [{ path: path('tier'), values: [5] }] },
  { metadata: [{ path: path('user.plan'), values: ['pro'] }] },
  { metadata: [{ path: path('user.plan'), values: [null] }] },
  {
    metadata: [
      { path: path('late'), values: ['true', true] },
      { path: path('tier'), values: ['5'] },
    ],
  },
];

const MORE_FILTERS = MORE.flatMap((filter) =>
  [
    {},
    { traceFunctionKey: 'judge' },
    { status: 'error' as const },
    { session_id: 'ann' },
    { since: startedAt(9) },
  ].map((other) => ({ ...filter, ...other })),
);

const SESSION_FILTERS: { score?: ScoreFilter }[] = [
  {},
  { score: { name: 'good' } },
  { score: { name: 'good', above: 0 } },
  { score: { name: 'short', is: ['yes'] } },
];

const CALL_FILTERS = KEYS.flatMap((traceFunctionKey) =>
  ([{}, { status: 'error' }, { status: 'cancelled' }, { status: 'unfinished' }] as const).flatMap((status) =>
    [{}, { session_id: 'ann' }, { since: startedAt(9) }, { session_id: 'bob', until: startedAt(20) }].map(
      (more): CallTraceFilter => ({ traceFunctionKey, ...status, ...more }),
    ),
  ),
);

/** What calls are searched for, beside their key. */
const SEARCHES: CallSelection[] = (
  [
    { text: 'late' },
    { text: '"too late"' },
    { text: '退' },
    { text: 'lat* ask', type: 'llm' },
    { text: 'too', status: 'error' },
    { name: 'tell', session_id: 'ann' },
    { user_id: 'ann', kind: 'tool' },
    { tags: ['beta'], level: 'info' },
    { environment: 'staging', release: '1.1' },
    { user_id: 'ann', trace_ids: [TRACES[0] ?? '', TRACES[2] ?? ''] },
    { metadata: { tier: 'gold' }, text: 'too' },
  ] satisfies CallSelection[]
).flatMap((search) => [search, { ...search, every_call: true }]);

type List = readonly [filter: TraceFilter, sort: TraceSort];

const LISTS = [...FILTERS, ...MORE_FILTERS].flatMap((filter) =>
  TRACE_SORTS.map((sort): List => [filter, sort]),
);

/** Of spans with a model: sums of eighths are the same in every order. */
function priceSpan(one: SpanRecord): [SpanRecord, SpanCost][] {
  const { model, input_tokens: tokens = 0 } = one.span_data.usage ?? {};
  return model === undefined ? [] : [[one, { usd: tokens / 8, priceVersion: 'test' }]];
}

interface Asked {
  lists: readonly List[];
  sessions: { score?: ScoreFilter };
  calls: readonly CallTraceFilter[];
  searches: readonly CallSelection[];
}

/** Of so many lists some in each run. */
const someLists = fc.record<Asked>({
  lists: fc.array(fc.constantFrom(...LISTS), { minLength: 24, maxLength: 24 }),
  sessions: fc.constantFrom(...SESSION_FILTERS),
  calls: fc.array(fc.constantFrom(...CALL_FILTERS), { minLength: 3, maxLength: 3 }),
  searches: fc.array(fc.constantFrom(...SEARCHES), { minLength: 3, maxLength: 3 }),
});

/** All pages of a list. What rollups add to it may lag behind. */
async function readList(store: SpanStore, account: string, [filter, sort]: List): Promise<ListedTrace[]> {
  const { traces, lookedUntil } = await store.listTraces(account, filter, { limit: 50 }, sort);
  for (let after = lookedUntil; after !== undefined;) {
    const next = await store.listTraces(account, filter, { limit: 50, after }, sort);
    traces.push(...next.traces);
    after = next.lookedUntil;
  }
  for (const { trace } of traces) delete trace.usage;
  return traces;
}

/** What lists of an account show. */
async function readLists(
  store: SpanStore,
  account: string,
  { lists, sessions, calls, searches }: Asked,
): Promise<unknown> {
  const all = [
    ...lists.map((list) => readList(store, account, list)),
    readSessions(store, account, sessions),
    ...calls.map((filter) => store.listCallTraces(account, filter, { limit: 50 })),
    ...calls.map((filter) => store.countCallTraces(account, filter)),
    ...searches.map((search) => searchCalls(store, account, search)),
    store.listTraceFunctionKeys(account),
  ];
  return Promise.all<unknown>(all);
}

/** The calls that are found, over pages of two. */
async function searchCalls(store: SpanStore, account: string, search: CallSelection): Promise<string[]> {
  const service = new CallService(store, new CallTrees(store, new RecentCalls(store)));
  const request = { ...search, trace_function_key: 'judge', limit: 2 };
  const found: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await service.search(account, { ...request, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`));
    cursor = page.next_cursor;
  }
  return found;
}

/** All pages. */
async function readSessions(
  store: SpanStore,
  account: string,
  filter: { score?: ScoreFilter },
): Promise<SessionList['sessions']> {
  const { sessions, lookedUntil } = await store.listSessions(account, filter, { limit: 50 });
  for (let after = lookedUntil; after !== undefined;) {
    const next = await store.listSessions(account, filter, { limit: 50, after });
    sessions.push(...next.sessions);
    after = next.lookedUntil;
  }
  return sessions;
}

/** On servers a run takes seconds, and its test has a timeout of its own. */
const LIMIT_MS = 14 * 60_000;

let accounts = 0;

/** Sees that lists show what a look at all records shows, in whatever order these came. */
export async function expectListsToAgree({ spans, meta }: Storage, numRuns: number): Promise<void> {
  const oracle = new OracleSpanStore({}, meta.scores);
  await fc.assert(
    fc.asyncProperty(batches, someLists, async (all, asked) => {
      const account = `acc_${++accounts}`;
      for (const batch of all) {
        const costs = new Map(batch.spans.flatMap((one) => priceSpan(one)));
        const { scores, ...records } = batch;
        const received = { ...records, costs, receivedAt: startedAt(50) };
        await meta.scores.add(account, scores);
        await spans.ingest(account, received);
        await oracle.ingest(account, received);
      }
      expect(await readLists(spans, account, asked)).toEqual(await readLists(oracle, account, asked));
    }),
    { numRuns, interruptAfterTimeLimit: LIMIT_MS },
  );
}
