import { type Table, toCreateTable } from '../table.js';
import { POSTGRES_DIALECT } from '../dialect.js';

/** The rows of the traces `:traceIds`, a JSON list, of `:accountId`. */
export const OF_TRACES = `account_id = :accountId AND trace_id IN (SELECT value FROM ${POSTGRES_DIALECT.texts(':traceIds')})`;

/** Narrow rows for lists. `is_open`: a later record may replace it, or be joined with it. */
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
  required: { span_no: 'bigint', account_id: 'text' },
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

/**
 * The words of a span, one text for phrases, and each word once for the index: with its account before it, so that who searches waits
 * for nothing of the others. `is_cut`: some words come too late in a long text.
 */
export const TEXTS = {
  name: 'span_texts',
  key: ['span_no'],
  required: {
    span_no: 'bigint',
    account_id: 'text',
    trace_id: 'text',
    words: 'text',
    lexemes: 'tsvector',
    is_cut: 'bigint',
  },
} as const satisfies Table;

/** `…_order` columns are -1 where the amount is unknown. `facts` is a JSON list of what counts of a trace: see `FactList`. */
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

/** The calls of a key in a trace, together. */
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

/** What traces are found by: see `facetsOfTrace`. */
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

/** What a trace added to the sums, so that it can be subtracted. */
export const TRACE_METRICS = {
  name: 'trace_metrics',
  key: ['account_id', 'trace_id'],
  required: { account_id: 'text', trace_id: 'text', contribution: 'text' },
} as const satisfies Table;

/** Of each key, hour and day, any number of tallies, which are added up: a batch adds one, and changes none. */
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

/** Traces whose latest spans are not in other tables yet. */
export const LONG_TRACES = {
  name: 'long_traces',
  key: ['account_id', 'trace_id'],
  required: { account_id: 'text', trace_id: 'text' },
} as const satisfies Table;

/** Of each key, any number of counts of spans, which are added up: a batch adds one, and changes none. */
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

/** In the order in which an account is deleted. */
export const SPAN_TABLES: readonly Table[] = [
  ...[
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
  ],
];

const NEWEST_FIRST = 'started_us DESC, trace_id DESC';

const INDEXES = [
  'CREATE UNIQUE INDEX spans_by_number ON spans(span_no)',
  'CREATE INDEX spans_in_order ON spans(account_id, trace_id, started_us, span_no)',
  'CREATE INDEX span_payloads_by_account ON span_payloads(account_id)',
  'CREATE INDEX span_texts_by_word ON span_texts USING gin(lexemes)',
  'CREATE INDEX span_texts_by_trace ON span_texts(account_id, trace_id)',
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

/** The tables of spans, with PostgreSQL's types. Texts sort by their bytes, as cursors need it. */
export const SPAN_SCHEMA: readonly string[] = [
  'CREATE SEQUENCE span_numbers',
  ...SPAN_TABLES.map(toCreateTable),
  ...INDEXES,
];
