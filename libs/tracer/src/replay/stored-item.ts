import {
  type Divergence as FoundDivergence,
  fromItemModelCalls,
  fromItemUsage,
  judgeStored,
  type NamedScore,
  newOutcomeOf,
  originalOutcomeOf,
  type Outcome,
  type RunItem,
  type TalliedItem,
} from '@dacapo/evaluation';
import {
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
import type { Codec } from '../capture/codec.js';
import { sha256 } from '../hashing.js';
import type { ReplayItem } from './replay-result.js';

/** What counts of an item that was played before its run was resumed. */
export function storedFacts(item: TestRunItemSummary): TalliedItem {
  return {
    ...toFacts(item),
    divergences: item.divergence_count === undefined ? [] : [item.divergence_count],
  };
}

/**
 * An item that was played before its run was resumed, as it is stored: values have the types that were recorded, what was
 * masked or cut is, and errors are made anew. Its verdict is not found again.
 */
export function storedItem(record: TestRunItemRecord, codecs: readonly Codec[]): ReplayItem {
  const { repetition, verdict, compared_by: comparedBy, input, meta, divergences = [] } = record;
  const { source_trace_id: sourceTraceId, new_trace_id: traceId, new_span_id: spanId } = record;
  const before = toOutcome(record.original_output, record.original_error, record.original_meta?.output);
  const now = toOutcome(record.result, record.error, meta?.output);
  const isExplained = verdict === 'same' || comparedBy?.same === true;
  const { diff } = isExplained
    ? {}
    : judgeStored(originalOutcomeOf(record), newOutcomeOf(record), {
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
  const { item_no: itemNo, verdict, duration_ms: durationMs, session_id: sessionId } = item;
  const { scores = [], original_scores = [], original_duration_ms: originalDurationMs } = item;
  return {
    itemNo,
    verdict,
    ...(item.fixed && { fixed: true }),
    ...(item.failing_as_before && { failingAsBefore: true }),
    ...(item.new_error && { newError: true }),
    ...(item.accepted && { accepted: true }),
    scores: scores.map(toScore),
    ...(original_scores.length > 0 && { originalScores: original_scores.map(toScore) }),
    ...(durationMs !== undefined && { durationMs }),
    ...(originalDurationMs !== undefined && { originalDurationMs }),
    ...(item.timing && { timing: item.timing }),
    ...(sessionId !== undefined && { sessionId }),
    ...(item.usage && { usage: fromItemUsage(item.usage) }),
    ...(item.original_usage && { originalUsage: fromItemUsage(item.original_usage) }),
    ...(item.model_calls && { modelCalls: fromItemModelCalls(item.model_calls) }),
    ...(item.original_model_calls && {
      originalModelCalls: fromItemModelCalls(item.original_model_calls),
    }),
    ...(item.source_span_id !== undefined && { sourceSpanId: item.source_span_id }),
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

function toDivergence({
  source_span_id: sourceSpanId,
  new_span_id: spanId,
  recorded_arguments: recordedArguments,
  new_arguments: newArguments,
  ...said
}: Divergence): FoundDivergence {
  return {
    ...said,
    ...(sourceSpanId !== undefined && { sourceSpanId }),
    ...(spanId !== undefined && { spanId }),
    ...(recordedArguments !== undefined && { recordedArguments }),
    ...(newArguments !== undefined && { newArguments }),
  };
}
