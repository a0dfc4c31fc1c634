import {
  type Divergence as FoundDivergence,
  type NamedScore,
  pickOutcomeNotes,
  type StoredOutcome,
} from '@dacapo/evaluation';
import {
  type BaselineScore,
  type Divergence,
  type FieldMeta,
  isJsonObject,
  type JsonValue,
  LIMITS,
  type NormalizedCalls,
  snakeCased,
  type TestRunItemReport,
} from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { ReplayItem } from '../replay-types.js';

/** The baseline of an item. */
export interface ReportedBaseline {
  readonly kind: NonNullable<TestRunItemReport['baseline']>;
  readonly stored: StoredOutcome;
}

export interface ReportFacts {
  /** Masks names and texts of evaluators. */
  readonly capturer: Capturer;
  /** See `TestRunItemReport.name`. */
  readonly name: string | undefined;
  /** Whether the caller's `same` decided. */
  readonly same: boolean;
  readonly ignore: readonly string[] | undefined;
  /** Its arguments, if no recorded call has them. */
  readonly input: { readonly json: JsonValue[]; readonly meta: FieldMeta | undefined } | undefined;
  readonly baseline: ReportedBaseline | undefined;
  /** The source of the error, if it is not the call. */
  readonly errorSource: TestRunItemReport['error_of'];
  /** See `TestRunItemReport.baseline_hash`. */
  readonly baselineHash: string | undefined;
}

/** The report of an item to the service. */
export function toItemReport(
  item: ReplayItem,
  recorded: StoredOutcome,
  { capturer, name, same, ignore, input, baseline, errorSource, baselineHash }: ReportFacts,
): TestRunItemReport {
  const { output, error } = recorded;
  const { itemNo, repetition, sourceTraceId, sourceSpanId, traceId, spanId, sessionId, divergences } = item;
  const { verdict, fixed, failingAsBefore, newError, accepted, scores, originalScores = [] } = item;
  const { durationMs, originalDurationMs, timing, usage, originalUsage, modelCalls, originalModelCalls } =
    item;
  const comparedBy = { ...(same && { same: true as const }), ...(ignore && { ignore: [...ignore] }) };
  const isDurationBrought = baseline?.kind !== 'recording' && originalDurationMs !== undefined;
  const meta = { ...(input?.meta && { input: input.meta }), ...pickOutcomeNotes(recorded.meta) };
  return {
    ...snakeCased({ itemNo, repetition, sourceTraceId, sourceSpanId, verdict, timing, durationMs }),
    ...snakeCased({ fixed, failingAsBefore, newError, accepted }),
    ...(name !== undefined &&
      !capturer.options.metadataOnly && { name: capturer.maskText(name).slice(0, LIMITS.labelLength) }),
    ...(traceId !== undefined && { new_trace_id: traceId }),
    ...(spanId !== undefined && { new_span_id: spanId }),
    ...(sessionId !== undefined && { session_id: sessionId.slice(0, LIMITS.labelLength) }),
    ...(Object.keys(comparedBy).length > 0 && { compared_by: comparedBy }),
    ...(baseline && baseline.kind !== 'recording' && toBaseline(baseline)),
    ...(isDurationBrought && { original_duration_ms: originalDurationMs }),
    ...(input && { input: input.json }),
    ...(output !== undefined && { result: output }),
    ...(error && { error }),
    ...(error && errorSource && { error_of: errorSource }),
    ...(usage && { usage: snakeCased(usage) }),
    ...(originalUsage && { original_usage: snakeCased(originalUsage) }),
    ...(modelCalls && { model_calls: snakeCased(modelCalls) }),
    ...(originalModelCalls && { original_model_calls: snakeCased(originalModelCalls) }),
    ...(Object.keys(meta).length > 0 && { meta }),
    divergences: divergences.slice(0, LIMITS.divergences).map(toRecord),
    ...(item.normalized && { normalized: toNormalized(item.normalized) }),
    ...(divergences.length > LIMITS.divergences && { divergence_count: divergences.length }),
    ...(scores.length > 0 && { scores: toScores(scores, capturer) }),
    ...(originalScores.length > 0 && { original_scores: toScores(originalScores, capturer) }),
    ...(baselineHash !== undefined && { baseline_hash: baselineHash }),
  };
}

function toBaseline({
  kind,
  stored: { output, error, meta },
}: ReportedBaseline): Pick<
  TestRunItemReport,
  'baseline' | 'original_output' | 'original_error' | 'original_meta'
> {
  const notes = pickOutcomeNotes(meta);
  return {
    baseline: kind,
    ...(output !== undefined && { original_output: output }),
    ...(error && { original_error: error }),
    ...(notes && { original_meta: notes }),
  };
}

/** Texts of evaluators describe values, and may contain what is masked in these. */
function toScores(scores: readonly NamedScore[], capturer: Capturer): BaselineScore[] {
  const text = (value: string): string => (capturer.options.metadataOnly ? '' : capturer.maskText(value));
  return scores.map(({ name, score, label, explanation, metadata, version, reused }) => {
    const noted =
      metadata && !capturer.options.metadataOnly ? capturer.captureObject(metadata, false) : undefined;
    const json = noted && (JSON.parse(noted.json) as JsonValue);
    const value = typeof score === 'string' ? text(score) : score;
    // Masked scores and cut names are not reused, because they would belong to another score or evaluator.
    const isReusable = value === score && name.length <= LIMITS.labelLength;
    return {
      name: name.slice(0, LIMITS.labelLength),
      value,
      ...(label !== undefined && { label: text(label) }),
      ...(explanation !== undefined && { explanation: text(explanation) }),
      ...(isJsonObject(json) && { metadata: json }),
      ...(isReusable && version !== undefined && { version }),
      ...(reused && { reused }),
    };
  });
}

function toNormalized(normalized: readonly NormalizedCalls[]): NormalizedCalls[] {
  const kept = normalized.slice(0, LIMITS.divergences);
  return kept.map(({ key, ...counts }) => ({ key: key.slice(0, LIMITS.labelLength), ...counts }));
}

function toRecord({ spanId, ...found }: FoundDivergence): Divergence {
  return { ...snakeCased(found), ...(spanId !== undefined && { new_span_id: spanId }) };
}
