import type { JsonObject } from '../json/json-value.js';
import type { ScoreRecord } from '../records/score.js';
import type { SpanRecord } from '../records/span.js';
import { isOutermost } from './join-trace.js';
import { parseNanos } from './nanos.js';
import type { OtlpEvent } from './otlp-span.js';
import type { WrittenOtlpSpan } from './to-otlp-span.js';

/** Has the whole score as JSON: the GenAI conventions have no authors, booleans or metadata. */
export const SCORE_ATTRIBUTE = 'dacapo.score';

/** Writes a score as an event of the span that it rates, by the GenAI conventions. */
function writeScore(score: ScoreRecord): OtlpEvent {
  const { name, value, label, explanation, created_at } = score;
  const attributes: JsonObject = { 'gen_ai.evaluation.name': name };
  if (typeof value === 'string') attributes['gen_ai.evaluation.score.label'] = value;
  else if (value !== null) attributes['gen_ai.evaluation.score.value'] = Number(value);
  if (label !== undefined && typeof value !== 'string') attributes['gen_ai.evaluation.score.label'] = label;
  if (explanation !== undefined) attributes['gen_ai.evaluation.explanation'] = explanation;
  attributes[SCORE_ATTRIBUTE] = JSON.stringify(score);
  return { name: 'gen_ai.evaluation.result', timeNanos: parseNanos(created_at), attributes };
}

/** Adds the scores of a span as events, and those of its trace if the span is the outermost one. */
export function withScores(
  { span, source }: WrittenOtlpSpan,
  record: SpanRecord,
  scores: readonly ScoreRecord[],
): WrittenOtlpSpan {
  const isOwn = ({ trace_id, span_id }: ScoreRecord): boolean =>
    trace_id === record.trace_id && (span_id === undefined ? isOutermost(record) : span_id === record.id);
  const events = scores.filter(isOwn).map(writeScore);
  return { source, span: { ...span, events: [...span.events, ...events] } };
}
