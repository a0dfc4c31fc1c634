import { DAY_US } from '../../ports/metrics-query.js';
import type { ClickHouseConnection } from './connection.js';

/** Number of insert tokens that a table remembers. A client gives up a batch long before this many others arrive. */
const REMEMBERED_INSERTS = 10_000;

/** Calls with one key that started in one hour. Sums of days have the start of the day. */
export const TALLY =
  'Tuple(trace_function_key String, is_replay UInt8, hour_us Int64, sums Array(Int64), bins Array(Int32), counts Array(Int64))';

/**
 * Every record: a span, a part of one, or a patch of a trace, whose `span_id` is empty. `parts` is 1, or the number of records that the
 * row joins. Among the rows of a span, the first one counts, sorted by `WINNER`.
 */
const SPAN_RECORDS = `CREATE TABLE IF NOT EXISTS span_records(
  account_id String,
  trace_id String,
  span_id String,
  row_no UInt64,
  parts UInt32,
  rank UInt8,
  received_us Int64,
  facts String CODEC(ZSTD(3)),
  span_no UInt64,
  parent_id Nullable(String),
  trace_function_key LowCardinality(String),
  name String,
  type LowCardinality(String),
  kind LowCardinality(Nullable(String)),
  level LowCardinality(Nullable(String)),
  status LowCardinality(String),
  started_us Int64,
  ended_us Nullable(Int64),
  duration_ms Nullable(Float64),
  test_run_id Nullable(String),
  source_span_id Nullable(String),
  mocked UInt8,
  class_name LowCardinality(Nullable(String)),
  input_preview Nullable(String) CODEC(ZSTD(3)),
  output_preview Nullable(String) CODEC(ZSTD(3)),
  error_preview Nullable(String) CODEC(ZSTD(3)),
  payload_bytes UInt64,
  model LowCardinality(Nullable(String)),
  input_tokens Nullable(Float64),
  output_tokens Nullable(Float64),
  cost_usd Nullable(Float64),
  price_version LowCardinality(Nullable(String)),
  input Nullable(String) CODEC(ZSTD(3)),
  output Nullable(String) CODEC(ZSTD(3)),
  error Nullable(String) CODEC(ZSTD(3)),
  prompt Nullable(String) CODEC(ZSTD(3)),
  contexts Nullable(String) CODEC(ZSTD(3)),
  usage Nullable(String) CODEC(ZSTD(3)),
  meta Nullable(String) CODEC(ZSTD(3)),
  words String CODEC(ZSTD(3)),
  is_cut UInt8,
  INDEX words_by_token words TYPE text(tokenizer = splitByString([' ']))
) ENGINE = MergeTree ORDER BY (account_id, trace_id, span_id)
SETTINGS non_replicated_deduplication_window = ${REMEMBERED_INSERTS}`;

/**
 * Versions of each trace, derived after each batch. The version that knows the most records counts. `superseded` are rows of spans that no
 * longer count. `days` are those of all records. `…_order` columns are -1 if the amount is unknown.
 */
const TRACE_VERSIONS = `CREATE TABLE IF NOT EXISTS trace_versions(
  account_id String,
  trace_id String,
  records UInt32,
  superseded Array(UInt64),
  root_span_id Nullable(String),
  session_id Nullable(String),
  user_id Nullable(String),
  environment LowCardinality(Nullable(String)),
  release LowCardinality(Nullable(String)),
  tags Nullable(String),
  test_run_id Nullable(String),
  started_us Int64,
  status LowCardinality(String),
  outcome LowCardinality(String),
  span_count UInt32,
  error_count UInt32,
  duration_order Float64,
  tokens_order Float64,
  cost_order Float64,
  usage Nullable(String),
  facets Array(String) CODEC(ZSTD(3)),
  calls Array(Tuple(
    trace_function_key String, outcome String, span_count UInt32, started_us Int64, last_started_us Int64, is_recording UInt8,
    error_count UInt32, cancelled_count UInt32, unfinished_count UInt32)),
  tallies Array(${TALLY}),
  days Array(Int64)
) ENGINE = MergeTree ORDER BY (account_id, trace_id)`;

/** Versions from before this column name the days of their tallies. */
const ADD_DAYS = `ALTER TABLE trace_versions ADD COLUMN IF NOT EXISTS days Array(Int64)
  DEFAULT arrayDistinct(arrayMap(us -> us - positiveModulo(us, ${DAY_US}), tallies.hour_us))`;

const HAS_DAYS = `SELECT count() AS n FROM system.columns
  WHERE database = currentDatabase() AND table = 'trace_versions' AND name = 'days'`;

/** Sums of a day. A row counts while its fingerprint is that of the versions of the day. */
const DAY_SUMS = `CREATE TABLE IF NOT EXISTS day_sums(
  account_id String,
  day_us Int64,
  fingerprint Int64,
  tallies Array(${TALLY})
) ENGINE = ReplacingMergeTree ORDER BY (account_id, day_us)`;

/** Creates missing tables. Several collectors may do so at the same time. */
export async function createSchema(connection: ClickHouseConnection): Promise<void> {
  await connection.run(SPAN_RECORDS);
  await connection.run(TRACE_VERSIONS);
  const row = await connection.get<{ n: number }>(HAS_DAYS);
  // Only where it is missing, because it needs a right of its own.
  if (row?.n === 0) await connection.run(ADD_DAYS);
  await connection.run(DAY_SUMS);
}
