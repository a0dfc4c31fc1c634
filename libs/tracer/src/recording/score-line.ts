import { formatTimestamp, LIMITS, newTraceId, parseScoreRecord, ProtocolError } from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';
import type { ScoreInput, ScoreTarget } from '../context/score-input.js';
import { InvalidNoteError, describeKind } from './errors.js';
import type { FieldCapture } from './field-capture.js';

/** The default author of a score. */
const APPLICATION = { kind: 'program', name: 'application' };

/**
 * Writes a score as one line of an ingest body. Its texts are masked like those of spans, and cut if they are too long.
 *
 * @throws InvalidNoteError when the service would reject it
 */
export function writeScoreLine(
  target: ScoreTarget,
  found: ScoreInput,
  fields: FieldCapture,
  wallMs: number,
): ByteString {
  try {
    const members = Object.entries(toRecord(target, found, fields, wallMs));
    const score = Object.fromEntries(members.filter(([, value]) => value !== undefined));
    return encodeText(JSON.stringify({ score: parseScoreRecord(score) }));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw wrong(`what cannot be sent: ${error.message}`);
  }
}

/** JavaScript callers may pass any value. */
function toRecord(
  target: Partial<Record<keyof ScoreTarget, unknown>>,
  score: Partial<Record<keyof ScoreInput, unknown>>,
  fields: FieldCapture,
  wallMs: number,
): object {
  if (!isObject(target) || !isObject(score)) throw wrong(describeKind(isObject(target) ? score : target));
  const { name, value, label, explanation, metadata, author } = score;
  const isValue =
    typeof value === 'number' ? Number.isFinite(value) : value === null || VALUES.has(typeof value);
  if (!isValue) throw wrong('a value that is not a finite number, true, false, text or null');
  const text = (raw: unknown, most: number = LIMITS.labelLength): unknown =>
    typeof raw === 'string' ? fields.capturer.maskText(raw).slice(0, most) : raw;
  const captured =
    metadata === undefined || metadata === null ? undefined : fields.captureObject(metadata, false);
  return {
    id: newTraceId(Math.floor(wallMs)),
    name: text(name),
    value: text(value),
    label: text(label),
    ...(!fields.capturer.options.metadataOnly && {
      explanation: text(explanation, LIMITS.explanationLength),
      metadata: captured && (JSON.parse(captured.json) as unknown),
    }),
    author: isObject(author) ? { ...author, name: text(author['name']) } : (author ?? APPLICATION),
    created_at: formatTimestamp(wallMs * 1000),
    trace_id: target.traceId,
    span_id: target.spanId,
    session_id: text(target.sessionId),
    test_run_id: target.testRunId,
    item_no: target.itemNo,
    repetition: target.repetition,
  };
}

const VALUES = new Set(['boolean', 'string']);

function wrong(score: string): InvalidNoteError {
  return new InvalidNoteError('score', score);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
