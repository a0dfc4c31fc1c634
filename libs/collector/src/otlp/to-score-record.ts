import {
  isJsonObject,
  type JsonObject,
  LIMITS,
  parseScoreRecord,
  ProtocolError,
  type ScoreRecord,
  type SpanRecord,
  uuidFromHash,
} from '@dacapo/protocol';
import { formatNanos, type OtlpScore, type OtlpSource } from '@dacapo/protocol/otlp';
import { sha256 } from '../sha256.js';
import type { SpanMasker } from './span-masker.js';

/**
 * Converts a score in an event. Its id is that of the exported score, or a hash of its content, so a repeated request adds no score.
 *
 * @param index the position among the scores of the span
 */
export function toScoreRecord(
  score: OtlpScore,
  index: number,
  span: SpanRecord,
  { scope }: OtlpSource,
  masker: SpanMasker,
): ScoreRecord {
  const exported = score.recorded && readExported(score.recorded, span, masker);
  if (exported !== undefined) return exported;
  const { trace_id, id: span_id, ended_at, started_at } = span;
  const { name, value, label, explanation, timeNanos } = score;
  const clip = (text: string): string => masker.maskText(text).slice(0, LIMITS.labelLength);
  const author = clip(scope.name ?? '').trim();
  return {
    id: uuidFromHash(sha256(JSON.stringify([trace_id, span_id, name, index, String(timeNanos)]))),
    trace_id,
    span_id,
    name: clip(name),
    value: typeof value === 'string' ? clip(value) : value,
    ...(label !== undefined && { label: clip(label) }),
    ...(explanation !== undefined && {
      explanation: masker.maskText(explanation).slice(0, LIMITS.explanationLength),
    }),
    author: { kind: 'evaluator', name: author === '' ? 'otlp' : author },
    created_at: timeNanos > 0n ? formatNanos(timeNanos) : (ended_at ?? started_at),
  };
}

/** An event rates its own span or trace, so it cannot name other targets. */
const OTHER_TARGETS = new Set(['session_id', 'test_run_id', 'item_no', 'repetition']);

/** @returns `undefined` if the score is invalid */
function readExported(
  recorded: JsonObject,
  { trace_id, id }: SpanRecord,
  masker: SpanMasker,
): ScoreRecord | undefined {
  const masked = masker.maskValue(recorded);
  if (!isJsonObject(masked)) return undefined;
  const kept = Object.entries(masked).filter(([name]) => !OTHER_TARGETS.has(name));
  const own: JsonObject = { ...Object.fromEntries(kept), trace_id };
  if (own['span_id'] !== undefined) own['span_id'] = id;
  try {
    return parseScoreRecord(own);
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}
