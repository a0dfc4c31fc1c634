import { isSpanId, isTraceId } from '../ids/ids.js';
import type { JsonObject } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import {
  type Author,
  AUTHOR_KINDS,
  type ItemScore,
  type ScoreRecord,
  type ScoreTarget,
} from '../records/score.js';
import { Fields } from './fields.js';

/**
 * Reads a score. Drops unknown fields; `null` counts as absent for optional fields.
 *
 * @throws ProtocolError with the name of the field if a required field is missing, a field is invalid, or the score does not
 *   have exactly one target
 */
export function parseScoreRecord(value: unknown): ScoreRecord {
  const score = Fields.of('score', value);
  return {
    id: score.matching('id', isTraceId, 'a UUID in lower case'),
    ...readItemScore(score),
    author: parseAuthor(score.child('author')),
    created_at: score.timestamp('created_at'),
    ...readTarget(score),
  };
}

/** @throws ProtocolError */
export function parseAuthor(author: Fields): Author {
  return { kind: author.oneOf('kind', AUTHOR_KINDS), name: author.label('name') };
}

function readItemScore(score: Fields): ItemScore {
  return {
    name: score.label('name'),
    value: readValue(score),
    ...(score.has('label') && { label: score.label('label') }),
    ...(score.has('explanation') && {
      explanation: score.text('explanation', LIMITS.explanationLength),
    }),
    ...(score.has('metadata') && { metadata: readMetadata(score) }),
  };
}

function readValue(score: Fields): ItemScore['value'] {
  const value = score.value('value');
  if (typeof value === 'string') return score.label('value');
  // JSON.parse returns Infinity for numbers that exceed a double.
  if (typeof value === 'number' && !Number.isFinite(value)) score.fail('value', 'must be a finite number');
  return value === undefined || (typeof value === 'object' && value !== null)
    ? score.fail('value', 'must be a number, true, false, a string or null')
    : value;
}

function readMetadata(score: Fields): JsonObject {
  const metadata = score.object('metadata');
  const { length } = JSON.stringify(metadata);
  const most = LIMITS.scoreMetadataLength;
  if (length > most) score.fail('metadata', `must have at most ${most} characters as JSON, not ${length}`);
  return metadata;
}

function readTarget(score: Fields): ScoreTarget {
  const targets = (['trace_id', 'session_id', 'test_run_id'] as const).filter((name) => score.has(name));
  const [target, other] = targets;
  if (target === undefined)
    score.fail('trace_id', 'is missing, as are session_id and test_run_id; set one of them');
  if (other !== undefined) score.fail(other, `cannot be combined with ${target}; a score has one target`);
  if (target !== 'trace_id' && score.has('span_id')) score.fail('span_id', 'requires trace_id');
  if (target !== 'test_run_id' && score.has('item_no')) score.fail('item_no', 'requires test_run_id');
  switch (target) {
    case 'trace_id':
      return {
        trace_id: score.matching('trace_id', isTraceId, 'a UUID in lower case'),
        ...(score.has('span_id') && { span_id: score.matching('span_id', isSpanId, '16 hex digits') }),
      };
    case 'session_id':
      return { session_id: score.label('session_id') };
    case 'test_run_id':
      return {
        test_run_id: score.matching('test_run_id', isTraceId, 'a UUID in lower case'),
        item_no: score.integer('item_no', 0, Number.MAX_SAFE_INTEGER),
        ...(score.has('repetition') && {
          repetition: score.integer('repetition', 0, Number.MAX_SAFE_INTEGER),
        }),
      };
  }
}
