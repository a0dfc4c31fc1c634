import {
  type Divergence as FoundDivergence,
  judgeStored,
  type NamedScore,
  readCandidateOutcome,
  readBaselineOutcome,
  type Outcome,
  type RunItem,
  type TalliedItem,
} from '@dacapo/evaluation';
import {
  camelCased,
  decode,
  decodeThrown,
  type Divergence,
  type ErrorRecord,
  type ItemScore,
  type JsonValue,
  readValue,
  type TestRunItemRecord,
  type TestRunItemSummary,
} from '@dacapo/protocol';
import { sha256 } from '../hashing.js';
import type { Codec } from '../options/capture-options.js';
import type { ReplayItem } from '../replay-types.js';

/** The counted facts of an item that was replayed before its run was resumed. */
export function storedFacts(item: TestRunItemSummary): TalliedItem {
  return {
    ...toFacts(item),
    divergences: item.divergence_count === undefined ? [] : [item.divergence_count],
  };
}

/**
 * An item that was replayed before its run was resumed, as stored: values have their recorded types, what was
 * masked or cut stays so, and errors are rebuilt. Its verdict is not computed again.
 */
export function storedItem(record: TestRunItemRecord, codecs: readonly Codec[]): ReplayItem {
  const { repetition, verdict, compared_by: comparedBy, input, meta, divergences = [] } = record;
  const { source_trace_id: sourceTraceId, new_trace_id: traceId, new_span_id: spanId } = record;
  const before = toOutcome(record.original_output, record.original_error, record.original_meta?.output);
  const now = toOutcome(record.result, record.error, meta?.output);
  const isExplained = verdict === 'same' || comparedBy?.same === true;
  const { diff } = isExplained
    ? {}
    : judgeStored(readBaselineOutcome(record), readCandidateOutcome(record), {
        sha256,
        ignore: comparedBy?.ignore,
        isExpectation: record.baseline === 'expected',
      });
  return {
    ...toFacts(record),
    ...(repetition !== undefined && { repetition }),
    input: decode(readValue({ json: input ?? [], meta: meta?.input }), codecs) as unknown[],
    ...('error' in now ? { error: decodeThrown(now.error) } : { result: decode(now.value, codecs) }),
    ...('error' in before
      ? { originalError: decodeThrown(before.error) }
      : record.original_output !== undefined && { originalOutput: decode(before.value, codecs) }),
    ...(diff && { diff }),
    divergences: divergences.map(toDivergence),
    ...(record.normalized && { normalized: record.normalized }),
    ...(sourceTraceId !== undefined && { sourceTraceId }),
    ...(traceId !== undefined && { traceId }),
    ...(spanId !== undefined && { spanId }),
  };
}

type Facts = Omit<TalliedItem, 'divergences'> & Pick<RunItem, 'scores'>;

function toFacts(item: TestRunItemSummary | TestRunItemRecord): Facts {
  const { item_no, verdict, duration_ms, original_duration_ms, timing, session_id, source_span_id } = item;
  const { fixed, failing_as_before, new_error, accepted, scores = [], original_scores = [] } = item;
  const { usage, original_usage, model_calls, original_model_calls } = item;
  return {
    ...camelCased({
      item_no,
      verdict,
      duration_ms,
      original_duration_ms,
      timing,
      session_id,
      source_span_id,
    }),
    ...camelCased({ fixed, failing_as_before, new_error, accepted }),
    scores: scores.map(toScore),
    ...(original_scores.length > 0 && { originalScores: original_scores.map(toScore) }),
    ...(usage && { usage: camelCased(usage) }),
    ...(original_usage && { originalUsage: camelCased(original_usage) }),
    ...(model_calls && { modelCalls: camelCased(model_calls) }),
    ...(original_model_calls && { originalModelCalls: camelCased(original_model_calls) }),
  };
}

function toOutcome(
  json: JsonValue | undefined,
  error: ErrorRecord | undefined,
  meta: Parameters<typeof readValue>[0]['meta'],
): Outcome {
  return error ? { error } : { value: readValue({ json, meta }) };
}

function toScore({ name, value, ...words }: ItemScore): NamedScore {
  return { name, score: value, ...words };
}

function toDivergence({ new_span_id: spanId, ...found }: Divergence): FoundDivergence {
  return { ...camelCased(found), ...(spanId !== undefined && { spanId }) };
}
