import type { JsonValue, SpanRecord, TestRunItemRecord, TestRunItemSummary } from '@dacapo/protocol';
import { previewError, previewJson } from '../storage/rules/preview.js';
import type { ItemKey, StoredItem } from '../storage/ports/test-run.js';

const SUMMARY_FIELDS = [
  'item_no',
  'repetition',
  'name',
  'source_trace_id',
  'source_span_id',
  'new_trace_id',
  'new_span_id',
  'session_id',
  'verdict',
  'fixed',
  'failing_as_before',
  'new_error',
  'accepted',
  'duration_ms',
  'original_duration_ms',
  'timing',
  'usage',
  'original_usage',
  'model_calls',
  'original_model_calls',
  'baseline_hash',
] as const;

export function itemKey({
  item_no,
  repetition = 0,
}: Pick<TestRunItemRecord, 'item_no' | 'repetition'>): ItemKey {
  return [item_no, repetition];
}

/**
 * The original call is not stored again: it is read with the item.
 *
 * @param isPending whether the original call could not be read yet
 */
export function toStoredItem(
  record: TestRunItemRecord,
  original: SpanRecord | undefined,
  isPending: boolean,
): StoredItem {
  const { divergences = [], divergence_count: count = divergences.length } = record;
  const { input, output } = original?.span_data ?? {};
  const inputJson = toJson(record.input ?? input);
  return {
    record,
    besideBytes: (inputJson?.length ?? 0) + (toJson(output)?.length ?? 0),
    summary: summarize(record, inputJson, count),
    flags: {
      fixed: record.fixed ?? false,
      failing_as_before: record.failing_as_before ?? false,
      new_error: record.new_error ?? false,
      accepted: record.accepted ?? false,
      diverged: count > 0,
    },
    isPending,
  };
}

function summarize(
  record: TestRunItemRecord,
  inputJson: string | undefined,
  divergenceCount: number,
): TestRunItemSummary {
  const inputPreview = previewJson(inputJson);
  const errorPreview = previewError(record.error);
  const fields = SUMMARY_FIELDS.filter((name) => record[name] !== undefined);
  return {
    ...(Object.fromEntries(fields.map((name) => [name, record[name]])) as Pick<
      TestRunItemRecord,
      (typeof SUMMARY_FIELDS)[number]
    >),
    ...summarizeScores(record, 'scores'),
    ...summarizeScores(record, 'original_scores'),
    ...(inputPreview !== undefined && { input_preview: inputPreview }),
    ...(errorPreview !== undefined && { error_preview: errorPreview }),
    ...(divergenceCount > 0 && { divergence_count: divergenceCount }),
  };
}

function summarizeScores<const N extends 'scores' | 'original_scores'>(
  record: TestRunItemRecord,
  name: N,
): Pick<TestRunItemSummary, N> {
  const scores = record[name]?.map((score) => ({
    name: score.name,
    value: score.value,
    ...(score.label !== undefined && { label: score.label }),
    ...('reused' in score && { reused: score.reused }),
  }));
  return (scores === undefined ? {} : { [name]: scores }) as Pick<TestRunItemSummary, N>;
}

function toJson(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
