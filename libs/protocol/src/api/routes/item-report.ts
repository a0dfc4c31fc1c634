import * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import { parseErrorRecord } from '../../parsing/parse-span.js';
import { type Divergence, DIVERGENCE_KINDS } from '../../records/divergence.js';
import type { BaselineScore } from '../../records/score.js';
import type { ErrorRecord } from '../../records/span.js';
import { ITEM_TIMINGS, type TestRunItemReport, VERDICTS } from '../../records/test-run.js';
import {
  amount,
  choice,
  flag,
  json,
  jsonObject,
  known,
  label,
  list,
  maybe,
  recorded,
  type Schema,
  sha256,
  spanId,
  string,
  uuid,
  whole,
} from '../schema/kinds.js';

const TEXT_LENGTH = 4096;
const MOST_SCORES = 100;
const IGNORED_PATHS = 1000;

/** A text that is cut where it is too long. */
const cutText = (most = TEXT_LENGTH): Schema<string> =>
  v.pipe(
    string(),
    v.transform((text) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)),
  );

/** A list of which the first entries are kept. */
const first = <Item>(most: number, item: Schema<Item>): Schema<Item[]> =>
  v.pipe(
    list(item),
    v.transform((entries) => entries.slice(0, most)),
  );

const error = (path: string): Schema<ErrorRecord> =>
  v.pipe(
    recorded<ErrorRecord>('ErrorRecord'),
    v.transform((value) => parseErrorRecord(path, value)),
  );

const USAGE = known({
  input_tokens: maybe(amount()),
  output_tokens: maybe(amount()),
  cached_input_tokens: maybe(amount()),
  cache_write_tokens: maybe(amount()),
  reasoning_tokens: maybe(amount()),
  audio_tokens: maybe(amount()),
  cost_usd: maybe(amount()),
});

const MODEL_CALLS = known({
  made: whole(),
  input_tokens: whole(),
  output_tokens: whole(),
  cost_usd: whole(),
});

const COMPARED_BY = v.pipe(
  known({ same: maybe(flag()), ignore: maybe(first(IGNORED_PATHS, string())) }),
  v.transform(({ same, ...comparison }) => ({ ...comparison, ...(same && { same }) })),
);

const DIVERGENCE = known({
  kind: choice(DIVERGENCE_KINDS),
  path: v.pipe(list(cutText(LIMITS.labelLength)), v.transform(cutPath)),
  source_span_id: maybe(spanId()),
  new_span_id: maybe(spanId()),
  recorded_arguments: maybe(cutText()),
  new_arguments: maybe(cutText()),
  reason: maybe(cutText()),
});

const NORMALIZED = known({ key: label(), calls: whole(), ambiguous: whole() });

const SCORE = known({
  name: label(),
  value: v.custom<BaselineScore['value']>(
    (value) => value !== undefined && (typeof value !== 'object' || value === null),
    'must be a number, true, false, a string or null',
  ),
  label: maybe(cutText()),
  explanation: maybe(cutText()),
  metadata: maybe(jsonObject()),
  version: maybe(sha256()),
  reused: maybe(flag()),
});

const SCORES = v.pipe(
  first(MOST_SCORES, SCORE),
  v.transform((scores) => scores.map(({ reused, ...score }) => ({ ...score, ...(reused && { reused }) }))),
);

/** One item of a report. Lists and texts that are too long are cut, and unknown fields are dropped. */
export const ITEM_REPORT: v.GenericSchema<unknown, TestRunItemReport> = v.pipe(
  known({
    item_no: whole(),
    repetition: maybe(whole()),
    name: maybe(label()),
    source_trace_id: maybe(uuid()),
    source_span_id: maybe(spanId()),
    new_trace_id: maybe(uuid()),
    new_span_id: maybe(spanId()),
    verdict: maybe(choice(VERDICTS)),
    fixed: maybe(flag()),
    failing_as_before: maybe(flag()),
    new_error: maybe(flag()),
    accepted: maybe(flag()),
    compared_by: v.exactOptional(COMPARED_BY),
    baseline: maybe(choice(['recording', 'accepted', 'test_run', 'expected', 'self', 'function'])),
    session_id: maybe(label()),
    input: maybe(list(json())),
    result: maybe(json()),
    error: maybe(error('error')),
    error_of: maybe(choice(['play', 'judgement'])),
    duration_ms: maybe(amount()),
    usage: maybe(USAGE),
    model_calls: maybe(MODEL_CALLS),
    meta: maybe(jsonObject()),
    original_output: maybe(json()),
    original_error: maybe(error('original_error')),
    original_meta: maybe(jsonObject()),
    original_usage: maybe(USAGE),
    original_model_calls: maybe(MODEL_CALLS),
    original_duration_ms: maybe(amount()),
    timing: maybe(choice(ITEM_TIMINGS)),
    divergences: maybe(list(DIVERGENCE)),
    divergence_count: maybe(whole()),
    normalized: maybe(first(LIMITS.divergences, NORMALIZED)),
    scores: v.exactOptional(SCORES),
    original_scores: v.exactOptional(SCORES),
    baseline_hash: maybe(sha256()),
  }),
  v.transform(
    ({ fixed, failing_as_before, new_error, accepted, divergences, divergence_count, ...item }) => ({
      ...item,
      ...(fixed && { fixed }),
      ...(failing_as_before && { failing_as_before }),
      ...(new_error && { new_error }),
      ...(accepted && { accepted }),
      ...countDivergences(divergences, divergence_count),
    }),
  ),
);

/** The number of an item, which may be invalid otherwise. */
export const ITEM_NO = known({ item_no: whole() });

function countDivergences(
  divergences: Divergence[] | undefined,
  reported: number | undefined,
): Pick<TestRunItemReport, 'divergences' | 'divergence_count'> {
  if (divergences === undefined && reported === undefined) return {};
  const kept = divergences?.slice(0, LIMITS.divergences) ?? [];
  const count = Math.max(reported ?? 0, divergences?.length ?? 0);
  return { divergences: kept, ...(count > kept.length && { divergence_count: count }) };
}

/** Keeps both ends: they are more useful than the middle. */
function cutPath(path: string[]): string[] {
  if (path.length <= LIMITS.divergencePath) return path;
  const tail = Math.floor(LIMITS.divergencePath / 2);
  return [...path.slice(0, LIMITS.divergencePath - tail - 1), '…', ...path.slice(-tail)];
}
