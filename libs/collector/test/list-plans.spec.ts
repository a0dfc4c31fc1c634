import { SystemClock } from '@dacapo/collector';
import { newSpanId, newTraceId, type SpanRecord, type TraceSort } from '@dacapo/protocol';
import { Connection, type Reader } from '../src/storage/engines/sqlite/connection.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { listCallTraces } from '../src/storage/engines/sqlite/spans/list-call-traces.js';
import { ReadingTransaction } from '../src/storage/engines/sqlite/reading-transaction.js';
import { listFacetValues } from '../src/storage/engines/sqlite/spans/list-facet-values.js';
import { listSessions } from '../src/storage/engines/sqlite/spans/list-sessions.js';
import { listTraces } from '../src/storage/engines/sqlite/spans/list-traces.js';
import type { NamedValues } from '../src/storage/meta/bind.js';
import { listScores } from '../src/storage/meta/list-scores.js';
import { Scores } from '../src/storage/meta/scores.js';
import type { SqlParameter } from '../src/storage/meta/transaction.js';
import type { SpanFacetQuery } from '../src/storage/ports/facets.js';
import type { TraceFilter } from '../src/storage/ports/trace-filter.js';
import { score, span } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const ACCOUNT = 'acc_1';
const BOUNDS = { few: 10, hits: 10, lookedThrough: 20, lookedThroughByAmount: 20 };
const LIMIT = 5;
const [SMALL, LARGE] = [400, 1600];

const timeAt = (number: number): string => new Date(Date.UTC(2026, 0, 31) + number * 1000).toISOString();

/** A request and a call inside it; each condition of the lists below is met by few traces, or by a share of them. */
function makeTrace(number: number): SpanRecord[] {
  const trace_id = newTraceId();
  const root = newSpanId();
  const own: Partial<SpanRecord> = {
    trace_id,
    started_at: timeAt(number),
    duration_ms: number % 97,
    session_id: number % 3 === 0 ? 'long' : `session-${Math.floor(number / 4)}`,
    user_id: number === 5 ? 'rare user' : `user-${number % 20}`,
    environment: number % 2 === 0 ? 'production' : 'staging',
    release: `r${number % 4}`,
    ...(number % 7 === 0 && { test_run_id: number === 7 ? 'short run' : 'run' }),
    span_data: { usage: { model: number === 5 ? 'rare' : 'usual', input_tokens: number % 89 } },
  };
  return [
    span({
      ...own,
      id: root,
      trace_function_key: 'request',
      name: number === 5 ? 'refund' : 'answer',
      tags: number === 5 ? ['usual', 'rare'] : ['usual'],
      trace_metadata: { tier: number % 2, customer: number },
    }),
    span({
      ...own,
      parent_id: root,
      ...(number % 3 === 0 && { kind: 'tool', level: 'warn' }),
      trace_function_key: `key-${number % 4}`,
      status: number % 5 === 0 ? 'error' : 'ok',
    }),
  ];
}

/** Reads as the readers do, and notes what that took: the plan of each statement, and the steps of SQLite's machine. */
class WatchedReader implements Reader {
  private seen: { plan: string[]; steps: number }[] = [];
  private isExplaining = false;

  private constructor(private readonly connection: Connection) {}

  static async open(traces: number, isAnalyzed: boolean): Promise<WatchedReader> {
    const directory = temporaryDirectory();
    const storage = await openSqliteStorage(directory, new SystemClock());
    for (let first = 0; first < traces; first += 200) {
      const numbers = Array.from({ length: 200 }, (_, index) => first + index);
      const all = numbers.map((number) => makeTrace(number));
      const spans = all.flat();
      const scores = all.flatMap(([root], index) => {
        const { trace_id = '' } = root ?? {};
        const value = index % 3;
        const session_id = `session-${Math.floor((numbers[index] ?? 0) / 4)}`;
        if (index % 4 === 1) return [score({ trace_id, value })];
        return index % 4 === 2 ? [score({ session_id, value })] : [];
      });
      const costs = new Map(
        spans.map((one, index) => [one, { usd: (index % 83) / 1000, priceVersion: 'test' }]),
      );
      await storage.spans.ingest(ACCOUNT, { spans, costs, traces: [], receivedAt: timeAt(first) });
      await storage.meta.scores.add(ACCOUNT, scores);
    }
    await storage.close();
    const connection = await Connection.open({ path: `${directory}/dacapo.db`, pragmas: [] });
    if (isAnalyzed) await connection.write([{ sql: 'ANALYZE', rows: [[]] }]);
    return new WatchedReader(connection);
  }

  async all<R extends object>(sql: string, parameters: SqlParameter[] | NamedValues = []): Promise<R[]> {
    const steps = async (): Promise<number> => {
      const [row] = await this.connection.all<{ steps: number | null }>(
        'SELECT sum(nstep) AS steps FROM sqlite_stmt WHERE sql = ?',
        [sql],
      );
      return row?.steps ?? 0;
    };
    const before = await steps();
    const rows = await this.connection.all<R>(sql, parameters);
    const after = await steps();
    const plan = this.isExplaining
      ? await this.connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters)
      : [];
    this.seen.push({ plan: plan.map(({ detail }) => detail), steps: after - before });
    return rows;
  }

  /** The plans of the statements of `read`. */
  async explain(read: () => Promise<unknown>): Promise<string[][]> {
    [this.seen, this.isExplaining] = [[], true];
    await read();
    this.isExplaining = false;
    return this.seen.map(({ plan }) => plan);
  }

  /** Those of SQLite's machine that `read` took. */
  async countSteps(read: () => Promise<unknown>): Promise<number> {
    this.seen = [];
    await read();
    return this.seen.reduce((sum, { steps }) => sum + steps, 0);
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

const path = (text: string): string[] => text.split('.');

const CONDITIONS: Record<string, TraceFilter> = {
  key: { traceFunctionKey: 'key-1' },
  user: { user_id: 'user-3' },
  'rare user': { user_id: 'rare user' },
  environment: { environment: 'staging' },
  release: { release: 'r0' },
  tag: { tags: ['usual'] },
  'rare tag': { tags: ['rare'] },
  kind: { span: { kind: 'tool' } },
  level: { span: { level: 'warn' } },
  session: { session_id: 'session-20' },
  'long session': { session_id: 'long' },
  error: { status: 'error' },
  ok: { status: 'ok' },
  since: { since: timeAt(100) },
  until: { until: timeAt(300) },
  'test run': { testRunId: 'run' },
  'short run': { testRunId: 'short run' },
  recorded: { withoutReplays: true },
  scored: { score: { name: 'helpful' } },
  'low score': { score: { name: 'helpful', below: 1 } },
  'this score': { score: { name: 'helpful', is: [2] } },
  name: { span: { name: 'answer' } },
  'rare name': { span: { name: 'refund' } },
  model: { span: { type: 'llm', model: 'usual' } },
  'rare model': { span: { model: 'rare' } },
  slow: { amounts: { duration_ms: { least: 50 } } },
  'some tokens': { amounts: { tokens: { least: 20, most: 120 } } },
  cheap: { amounts: { cost_usd: { most: 0.1 } } },
  tier: { metadata: [{ path: path('tier'), values: [1] }] },
  customer: { metadata: [{ path: path('customer'), values: [77] }] },
};

const FACETS: SpanFacetQuery[] = [
  { of: 'name', prefix: '' },
  { of: 'model', prefix: 'us' },
  { of: 'metadata_path', prefix: '' },
  { of: 'metadata_value', prefix: '', path: path('customer') },
  { of: 'metadata_value', prefix: '1', path: path('tier') },
  { of: 'tag', prefix: '' },
  { of: 'user_id', prefix: 'user' },
  { of: 'environment', prefix: '' },
  { of: 'release', prefix: '' },
];

/** What is searched for values that are no facets. */
const SEARCHED: Partial<Record<SpanFacetQuery['of'], string>> = {
  user_id: 'traces traces_by_user',
  environment: 'traces traces_by_environment',
  release: 'traces traces_by_release',
};

const both = (names: readonly string[]): TraceFilter =>
  names.reduce<TraceFilter>((filter, name) => ({ ...filter, ...CONDITIONS[name] }), {});

/** What is asked together with each of the others. */
const BESIDE = ['key', 'error', 'long session', 'recorded', 'model', 'scored'];

const LISTS = (['time', 'tokens'] as const).flatMap((sort) => {
  const names = Object.keys(CONDITIONS);
  const pairs = names.flatMap((name) =>
    BESIDE.filter((other) => other !== name).map((other) => [other, name]),
  );
  return [[], ...names.map((name) => [name]), ...pairs].map((list) => ({ list, sort }));
});

/** Which tables are read by which index, in this order: the lookup of what is few or the walk, then what is tested on the way. */
function listIndexes(plan: readonly string[]): string[] {
  return plan.flatMap((detail) => {
    const [, table, , index] =
      /^SEARCH (\w+) USING (COVERING )?(?:INDEX )?(PRIMARY KEY|\w+)/.exec(detail) ?? [];
    return table === undefined ? [] : [`${table} ${index}`];
  });
}

/** The indexes that give an account's lists: how a page is found, without what is read of the traces that are on it. */
const PAGE = ['t PRIMARY KEY', 'r INTEGER'];

/** What is looked for ahead (the walk first), and along which indexes the page is found: each by table and index. */
const PLANS: [list: string[], sort: TraceSort, ahead: string[], page: string[]][] = [
  [[], 'time', [], ['t traces_by_time']],
  [['key'], 'time', [], ['c trace_calls_by_time']],
  [['session'], 'time', [], ['t traces_by_session']],
  [['session'], 'oldest', [], ['t traces_by_session']],
  [[], 'oldest', [], ['t traces_by_time']],
  [['key'], 'oldest', [], ['c trace_calls_by_time']],
  [['user'], 'time', [], ['t traces_by_user']],
  [['release'], 'time', [], ['t traces_by_release']],
  [['environment'], 'time', [], ['t traces_by_environment']],
  [['environment', 'recorded'], 'time', ['t traces_by_environment'], ['t traces_by_environment']],
  [['environment', 'error'], 'time', ['t traces_not_ok', 't traces_by_environment'], ['t traces_not_ok']],
  [
    ['rare tag'],
    'time',
    ['t traces_by_time', 'trace_facets PRIMARY KEY'],
    ['trace_facets PRIMARY KEY', 't PRIMARY KEY', 'f PRIMARY KEY'],
  ],
  [
    ['key', 'rare user'],
    'time',
    ['c trace_calls_by_time', 't traces_by_user'],
    ['t traces_by_user', 'c PRIMARY KEY', 't PRIMARY KEY'],
  ],
  [['error'], 'time', [], ['t traces_not_ok']],
  [['error', 'recorded'], 'time', [], ['t recorded_traces_not_ok']],
  [['test run'], 'time', [], ['t traces_by_test_run']],
  [['recorded'], 'time', [], ['t recorded_traces_by_time']],
  [['since'], 'time', [], ['t traces_by_time']],
  [['ok'], 'time', ['t traces_by_time'], ['t traces_by_time']],
  [['key', 'error'], 'time', [], ['c trace_calls_not_ok']],
  [['key', 'recorded'], 'time', ['c recorded_calls_by_time'], ['c recorded_calls_by_time', 't PRIMARY KEY']],
  [
    ['key', 'session'],
    'time',
    ['c trace_calls_by_time', 't traces_by_session'],
    ['t traces_by_session', 'c PRIMARY KEY', 't PRIMARY KEY'],
  ],
  [
    ['key', 'long session'],
    'time',
    ['c trace_calls_by_time', 't traces_by_session'],
    ['c trace_calls_by_time', 't PRIMARY KEY'],
  ],
  [
    ['key', 'short run'],
    'time',
    ['c trace_calls_by_time', 't traces_by_test_run'],
    ['t traces_by_test_run', 'c PRIMARY KEY', 't PRIMARY KEY'],
  ],
  [
    ['key', 'scored'],
    'time',
    ['c trace_calls_by_time', 'scores scores_by_value'],
    ['c trace_calls_by_time', 'scores scores_that_count'],
  ],
  [
    ['low score'],
    'time',
    ['t traces_by_time', 'scores scores_by_amount'],
    ['t traces_by_time', 'scores scores_that_count'],
  ],
  [
    ['key', 'customer'],
    'time',
    ['c trace_calls_by_time', 'trace_facets PRIMARY KEY'],
    [
      'trace_facets PRIMARY KEY',
      'c PRIMARY KEY',
      'trace_facets PRIMARY KEY',
      'a sqlite_autoindex_trace_attributes_1',
    ],
  ],
  [
    ['tier'],
    'time',
    ['t traces_by_time', 'trace_facets PRIMARY KEY'],
    ['t traces_by_time', 'trace_facets PRIMARY KEY', 'a sqlite_autoindex_trace_attributes_1'],
  ],
  [
    ['rare model'],
    'time',
    ['t traces_by_time', 'trace_facets PRIMARY KEY'],
    ['trace_facets PRIMARY KEY', 't PRIMARY KEY', 'f PRIMARY KEY', 's sqlite_autoindex_spans_1'],
  ],
  [['slow'], 'time', ['t traces_by_time', 't traces_by_duration'], ['t traces_by_time']],
  [['cheap'], 'time', ['t traces_by_time', 't traces_by_cost'], ['t traces_by_time']],
  [[], 'duration_ms', [], ['t traces_by_duration']],
  [[], 'cost_usd', [], ['t traces_by_cost']],
  [['some tokens'], 'tokens', [], ['t traces_by_tokens']],
  [
    ['key'],
    'tokens',
    ['t traces_by_tokens', 'c trace_calls_by_time'],
    ['t traces_by_tokens', 'c PRIMARY KEY'],
  ],
  [
    ['session'],
    'tokens',
    ['t traces_by_tokens', 't traces_by_session'],
    ['t traces_by_session', 't PRIMARY KEY'],
  ],
  [['error'], 'tokens', ['t traces_by_tokens', 't traces_not_ok'], ['t traces_by_tokens']],
  [['until'], 'cost_usd', ['t traces_by_cost', 't traces_by_time'], ['t traces_by_cost']],
];

/** Somewhere in the middle of the list, where a later page begins. */
const MIDDLE = {
  time: timeAt(200),
  oldest: timeAt(200),
  duration_ms: 40,
  tokens: 40,
  cost_usd: 0.04,
  span_count: 2,
};

const readPage = (
  reader: Reader,
  list: readonly string[],
  sort: TraceSort,
  isLater = false,
): Promise<unknown> =>
  listTraces(
    reader,
    ACCOUNT,
    both(list),
    { limit: LIMIT, ...(isLater && { after: [MIDDLE[sort], 'f'] as const }) },
    sort,
    BOUNDS,
  );

describe.each([
  ['without statistics, as a collector keeps its database', false],
  ['after ANALYZE', true],
])('plans of lists %s', (_, isAnalyzed) => {
  let reader: WatchedReader;

  beforeAll(async () => {
    reader = await WatchedReader.open(SMALL, isAnalyzed);
  });
  afterAll(() => reader.close());

  it.each(PLANS)('%j by %s uses its index', async (list, sort, ahead, page) => {
    const plans = await reader.explain(() => readPage(reader, list, sort));
    expect(plans.map(listIndexes)).toEqual([...(ahead.length === 0 ? [] : [ahead]), [...page, ...PAGE]]);
  });

  it.each<[list: string[], sort: TraceSort]>([
    [['key'], 'tokens'],
    [['key', 'slow'], 'time'],
    [['recorded'], 'duration_ms'],
    [['key', 'recorded'], 'time'],
    [['error', 'slow'], 'time'],
    [['error', 'recorded', 'slow'], 'time'],
    [['key', 'error', 'recorded', 'slow'], 'time'],
    [['key', 'ok'], 'time'],
    [['cheap'], 'time'],
  ])('%j by %s: what is looked for ahead is told by the indexes alone', async (list, sort) => {
    const [ahead = []] = await reader.explain(() => readPage(reader, list, sort));
    const searched = ahead.filter((detail) => detail.startsWith('SEARCH'));
    expect(searched.length).toBeGreaterThan(0);
    expect(searched.filter((detail) => !detail.includes('USING COVERING INDEX'))).toEqual([]);
  });

  it.each([{}, { since: timeAt(100) }, { status: 'error' as const }])(
    'calls of a key, %j: the index skips calls that were not recorded',
    async (more) => {
      const calls = { traceFunctionKey: 'key-1', ...more };
      const range = { limit: LIMIT, after: [timeAt(300), 'f'] as const };
      const plans = await reader.explain(() => listCallTraces(reader, ACCOUNT, calls, range, BOUNDS));
      expect(plans).toEqual([
        [expect.stringMatching(/^SEARCH c USING COVERING INDEX trace_calls_(?:by_time|not_ok) /)],
      ]);
    },
  );

  it('scan and sort only rows found through an index', async () => {
    const found =
      /^SCAN (?:CONSTANT ROW|\(subquery-\d+\)|last LEFT-JOIN|page|f|(?:json_each|n|v) VIRTUAL TABLE .*)$/;
    for (const { list, sort } of LISTS.filter(({ list: names }) => names.length < 2)) {
      const plans = await reader.explain(() => readPage(reader, list, sort));
      const scans = plans.flat().filter((detail) => detail.startsWith('SCAN') && !found.test(detail));
      const isLookedUp = plans.at(-1)?.includes('CO-ROUTINE f') ?? false;
      const sorts = plans.at(-1)?.filter((detail) => detail === 'USE TEMP B-TREE FOR ORDER BY') ?? [];
      // The page itself, after what is read of its traces; where it is looked up, what was found as well, and that by its traces.
      expect([list, sort, scans, sorts.length]).toEqual([
        list,
        sort,
        [],
        isLookedUp ? expect.any(Number) : 1,
      ]);
    }
  });

  it('names of scores are found from one to the next', async () => {
    const plans = await reader.explain(() =>
      new Scores(new ReadingTransaction(reader)).listNames(ACCOUNT, '', LIMIT),
    );
    expect(plans.flatMap(listIndexes).slice(0, 2)).toEqual([
      'scores scores_by_amount',
      'scores scores_by_amount',
    ]);
  });

  it.each(FACETS)('values of filters are found from one to the next: %j', async (query) => {
    const plans = await reader.explain(() =>
      listFacetValues(reader, ACCOUNT, query, LIMIT, BOUNDS.lookedThrough),
    );
    const scans = plans
      .flat()
      .filter((detail) => /^SCAN (?!walk|newest|CONSTANT ROW|\(subquery)/.test(detail));
    expect(scans).toEqual([]);
    const searched = SEARCHED[query.of] ?? 'trace_facets PRIMARY KEY';
    expect(plans.flatMap(listIndexes).slice(0, 2)).toEqual([searched, searched]);
  });
});

describe('the rows that a list reads', () => {
  let small: WatchedReader;
  let large: WatchedReader;

  beforeAll(async () => {
    small = await WatchedReader.open(SMALL, false);
    large = await WatchedReader.open(LARGE, false);
  });
  afterAll(() => Promise.all([small.close(), large.close()]));

  /** In both databases. A look at all traces of the larger one takes four times the steps of one at all of the smaller. */
  const expectAlike = async (name: unknown, read: (reader: Reader) => Promise<unknown>): Promise<void> => {
    const [few, many] = [
      await small.countSteps(() => read(small)),
      await large.countSteps(() => read(large)),
    ];
    expect({ name, few, many, isAlike: many < 1.5 * few + 300 }).toMatchObject({ isAlike: true });
  };

  it('are no more in a database with four times the traces: first and later pages, with one and two conditions', async () => {
    for (const { list, sort } of LISTS) {
      await expectAlike([list, sort], (reader) => readPage(reader, list, sort));
      if (list.length < 2 || list[0] === 'key') {
        await expectAlike([list, sort, 'later'], (reader) => readPage(reader, list, sort, true));
      }
    }
  });

  it('are no more for sessions with a score, scores, filter values and calls of a key', async () => {
    const range = { limit: LIMIT };
    for (const score of [{ name: 'helpful' }, { name: 'helpful', below: 1 }, { name: 'helpful', is: [2] }]) {
      await expectAlike(score, (reader) => listSessions(reader, ACCOUNT, { score }, range, BOUNDS));
    }
    for (const query of [{}, { name: 'helpful' }, { name: 'none' }, { author: 'nobody' }]) {
      await expectAlike(query, (reader) =>
        listScores(new ReadingTransaction(reader), ACCOUNT, query, range, BOUNDS.lookedThrough),
      );
    }
    await expectAlike('names of scores', (reader) =>
      new Scores(new ReadingTransaction(reader)).listNames(ACCOUNT, '', LIMIT),
    );
    for (const query of FACETS) {
      await expectAlike(query, (reader) =>
        listFacetValues(reader, ACCOUNT, query, LIMIT, BOUNDS.lookedThrough),
      );
    }
    for (const filter of [
      {},
      { session_id: 'session-20' },
      { session_id: 'long' },
      { status: 'error' as const },
    ]) {
      const calls = { traceFunctionKey: 'key-1', ...filter };
      await expectAlike(calls, (reader) => listCallTraces(reader, ACCOUNT, calls, range, BOUNDS));
    }
  });
});
