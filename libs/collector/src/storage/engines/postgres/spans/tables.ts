import { type Table, toCreateTable } from '../table.js';
import { isOneOf } from '../dialect.js';

/** The random end of an account's id, or a whole short one. */
const PREFIX_LENGTH = 12;

/** The rows of the traces `:traceIds`, a JSON list, of `:accountId`. */
export const OF_TRACES = `account_id = :accountId AND ${isOneOf('trace_id', ':traceIds')}`;

/** Narrow rows for lists. `is_open`: a later record may replace the span, or be joined with it. */
export const SPANS = {
  name: 'spans',
  key: ['account_id', 'trace_id', 'span_id'],
  required: {
    account_id: 'text',
    trace_id: 'text',
    span_id: 'text',
    span_no: 'bigint',
    trace_function_key: 'text',
    name: 'text',
    type: 'text',
    status: 'text',
    started_us: 'bigint',
    payload_bytes: 'bigint',
    is_open: 'bigint',
  },
  optional: {
    parent_id: 'text',
    kind: 'text',
    level: 'text',
    ended_us: 'bigint',
    duration_ms: 'double precision',
    test_run_id: 'text',
    source_span_id: 'text',
    mocked: 'bigint',
    class_name: 'text',
    input_preview: 'text',
    output_preview: 'text',
    error_preview: 'text',
    model: 'text',
    input_tokens: 'double precision',
    output_tokens: 'double precision',
    cost_usd: 'double precision',
    price_version: 'text',
  },
} as const satisfies Table;

export const PAYLOADS = {
  name: 'span_payloads',
  key: ['span_no'],
  required: { span_no: 'bigint' },
  optional: {
    input: 'text',
    output: 'text',
    error: 'text',
    prompt: 'text',
    contexts: 'text',
    usage: 'text',
    meta: 'text',
  },
} as const satisfies Table;

/** The words of a span, with a space around each. `is_cut`: a long text has words that are not indexed. */
export const TEXTS = {
  name: 'span_texts',
  key: ['span_no'],
  required: {
    span_no: 'bigint',
    account_id: 'text',
    trace_id: 'text',
    words: 'text',
    is_cut: 'bigint',
  },
} as const satisfies Table;

/** `…_order` columns are -1 if the amount is unknown. `facts` is a JSON list of the facts that count; see `FactList`. */
export const TRACES = {
  name: 'traces',
  key: ['account_id', 'trace_id'],
  required: {
    account_id: 'text',
    trace_id: 'text',
    started_us: 'bigint',
    status: 'text',
    outcome: 'text',
    span_count: 'bigint',
    error_count: 'bigint',
    facts: 'text',
    duration_order: 'double precision',
    tokens_order: 'double precision',
    cost_order: 'double precision',
  },
  optional: {
    session_id: 'text',
    user_id: 'text',
    environment: 'text',
    release: 'text',
    tags: 'text',
    test_run_id: 'text',
    root_span_id: 'text',
    usage: 'text',
  },
} as const satisfies Table;

/** A row for all calls with one key in a trace. */
export const CALLS = {
  name: 'trace_calls',
  key: ['account_id', 'trace_id', 'trace_function_key'],
  required: {
    account_id: 'text',
    trace_id: 'text',
    trace_function_key: 'text',
    outcome: 'text',
    started_us: 'bigint',
    last_started_us: 'bigint',
    span_count: 'bigint',
    is_recording: 'bigint',
    error_count: 'bigint',
    cancelled_count: 'bigint',
    unfinished_count: 'bigint',
  },
} as const satisfies Table;

/** The facets of traces; see `facetsOfTrace`. */
export const FACETS = {
  name: 'trace_facets',
  key: ['account_id', 'facet', 'trace_id'],
  required: { account_id: 'text', facet: 'text', trace_id: 'text' },
} as const satisfies Table;

/** Sums over the recorded traces of a session; replays do not count. */
export const SESSIONS = {
  name: 'sessions',
  key: ['account_id', 'session_id'],
  required: {
    account_id: 'text',
    session_id: 'text',
    trace_count: 'bigint',
    first_us: 'bigint',
    last_us: 'bigint',
  },
} as const satisfies Table;

/** The contribution of each trace to sums, so that it can be subtracted. */
export const TRACE_METRICS = {
  name: 'trace_metrics',
  key: ['account_id', 'trace_id'],
  required: { account_id: 'text', trace_id: 'text', contribution: 'text' },
} as const satisfies Table;

/** Any number of tallies for each key, hour and day, to add up. A batch adds rows and changes none. */
export const METRICS = {
  name: 'metrics',
  key: [],
  required: {
    account_id: 'text',
    hours: 'bigint',
    is_replay: 'bigint',
    trace_function_key: 'text',
    started_us: 'bigint',
    tally: 'text',
    is_sum: 'bigint',
  },
} as const satisfies Table;

/** Traces whose latest spans other tables do not include yet. */
export const LONG_TRACES = {
  name: 'long_traces',
  key: ['account_id', 'trace_id'],
  required: { account_id: 'text', trace_id: 'text' },
} as const satisfies Table;

/** Any number of counts of spans for each key, to add up. A batch adds rows and changes none. */
export const KEY_COUNTS = {
  name: 'trace_function_keys',
  key: [],
  required: { account_id: 'text', trace_function_key: 'text', span_count: 'bigint' },
} as const satisfies Table;

export const BATCHES = {
  name: 'ingest_batches',
  key: ['account_id', 'batch_id'],
  required: { account_id: 'text', batch_id: 'text', received_us: 'bigint' },
} as const satisfies Table;

/** In the order in which an account's rows are deleted. */
export const SPAN_TABLES: readonly Table[] = [
  TEXTS,
  PAYLOADS,
  SPANS,
  CALLS,
  FACETS,
  TRACE_METRICS,
  TRACES,
  SESSIONS,
  METRICS,
  KEY_COUNTS,
  LONG_TRACES,
  BATCHES,
];

/**
 * The words of a text `x` as the index has them. Each starts with {@link wordPrefix}, so that a search does not read those of other
 * accounts. Computed by the index only, because a stored column would double the size of the table.
 */
export const INDEXED_WORDS = `array_to_tsvector(string_to_array(ltrim(replace(rtrim(words), ' ', ' ' || right(account_id, ${PREFIX_LENGTH}))), ' '))`;

export function wordPrefix(accountId: string): string {
  return accountId.slice(-PREFIX_LENGTH);
}

const NEWEST_FIRST = 'started_us DESC, trace_id DESC';

const INDEXES = [
  'CREATE UNIQUE INDEX spans_by_number ON spans(span_no)',
  'CREATE INDEX spans_in_order ON spans(account_id, trace_id, started_us, span_no)',
  `CREATE INDEX span_texts_by_word ON span_texts USING gin((${INDEXED_WORDS}))`,
  // Otherwise ANALYZE computes them.
  'ALTER INDEX span_texts_by_word ALTER COLUMN 1 SET STATISTICS 0',
  'CREATE INDEX cut_texts ON span_texts(account_id) WHERE is_cut = 1',
  `CREATE INDEX traces_by_time ON traces(account_id, ${NEWEST_FIRST})`,
  `CREATE INDEX traces_not_ok ON traces(account_id, outcome, ${NEWEST_FIRST}) WHERE outcome <> 'ok'`,
  ...['session_id', 'user_id', 'environment', 'release', 'test_run_id'].map(
    (column) =>
      `CREATE INDEX traces_by_${column} ON traces(account_id, ${column}, ${NEWEST_FIRST}) WHERE ${column} IS NOT NULL`,
  ),
  ...['duration_order', 'tokens_order', 'cost_order', 'span_count'].map(
    (column) => `CREATE INDEX traces_by_${column} ON traces(account_id, ${column} DESC, trace_id DESC)`,
  ),
  `CREATE INDEX trace_calls_by_time ON trace_calls(account_id, trace_function_key, ${NEWEST_FIRST})`,
  `CREATE INDEX trace_calls_not_ok ON trace_calls(account_id, trace_function_key, outcome, ${NEWEST_FIRST})
    WHERE outcome <> 'ok'`,
  'CREATE INDEX latest_trace_calls ON trace_calls(account_id, trace_function_key, last_started_us)',
  'CREATE INDEX trace_function_keys_by_account ON trace_function_keys(account_id)',
  'CREATE INDEX trace_facets_by_trace ON trace_facets(account_id, trace_id)',
  'CREATE INDEX sessions_by_time ON sessions(account_id, last_us DESC, session_id DESC)',
  'CREATE INDEX metrics_by_time ON metrics(account_id, hours, is_replay, started_us)',
  'CREATE INDEX metrics_by_key ON metrics(account_id, trace_function_key, hours, is_replay, started_us)',
  'CREATE INDEX metrics_to_add ON metrics(account_id) WHERE is_sum = 0',
  'CREATE INDEX ingest_batches_by_time ON ingest_batches(received_us)',
];

/** The tables of spans. Texts sort by their bytes, because cursors compare them so. */
export const SPAN_SCHEMA: readonly string[] = [
  'CREATE SEQUENCE span_numbers',
  ...SPAN_TABLES.map(toCreateTable),
  ...INDEXES,
];
