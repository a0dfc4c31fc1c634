import { ProtocolError } from '../errors.js';
import { hasMoreMembers, isDeeperThan } from '../framing/json-bounds.js';
import type { Line } from '../framing/ndjson.js';
import { isJsonObject } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import type { MediaRecord } from '../records/media.js';
import type { ScoreRecord } from '../records/score.js';
import type { SpanRecord } from '../records/span.js';
import type { TraceRecord } from '../records/trace.js';
import { parseMediaRecord } from './parse-media.js';
import { parseScoreRecord } from './parse-score.js';
import { parseSpanRecord } from './parse-span.js';
import { parseTraceRecord } from './parse-trace.js';

/** Why a line was rejected. */
export interface Rejection {
  line: number;
  /** Of its record, if that can be read. */
  id?: string;
  detail: string;
}

/** One line of an ingest body: a record, or why it was rejected. */
export type IngestLine =
  | { span: SpanRecord }
  | { trace: TraceRecord }
  | { score: ScoreRecord }
  | { media: MediaRecord }
  | { rejection: Rejection };

/** Reads a line such as `{"span":{…}}`, `{"trace":{…}}`, `{"score":{…}}` or `{"media":{…}}`. Never throws, so an invalid line does not affect the others. */
export function parseIngestLine({ number, text }: Line): IngestLine {
  if (isDeeperThan(text, LIMITS.jsonDepth)) return rejectLine(number, 'depth');
  if (hasMoreMembers(text, LIMITS.lineMembers)) return rejectLine(number, 'members');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return rejectLine(number, 'json');
  }
  return readIngestLine(number, value);
}

const PROBLEMS = {
  depth: `nests deeper than ${LIMITS.jsonDepth}`,
  members: `has more than ${LIMITS.lineMembers} object members`,
  json: 'is not JSON',
};

/** Rejects a line that exceeds a limit or is not JSON, for callers that do not use {@link parseIngestLine}. */
export function rejectLine(line: number, problem: keyof typeof PROBLEMS): IngestLine {
  return reject(line, PROBLEMS[problem]);
}

/** Reads a line from its parsed JSON. Never throws. */
export function readIngestLine(line: number, value: unknown): IngestLine {
  if (!isJsonObject(value))
    return reject(line, 'must be an object with the key "span", "trace", "score" or "media"');
  try {
    if (Object.hasOwn(value, 'span')) return { span: parseSpanRecord(value['span']) };
    if (Object.hasOwn(value, 'trace')) return { trace: parseTraceRecord(value['trace']) };
    if (Object.hasOwn(value, 'score')) return { score: parseScoreRecord(value['score']) };
    if (Object.hasOwn(value, 'media')) return { media: parseMediaRecord(value['media']) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const record = value['span'] ?? value['trace'] ?? value['score'] ?? value['media'];
    return reject(line, error.message, isJsonObject(record) ? record['id'] : undefined);
  }
  return reject(line, 'must have the key "span", "trace", "score" or "media"');
}

function reject(line: number, detail: string, id?: unknown): IngestLine {
  return {
    rejection: { line, ...(typeof id === 'string' && { id }), detail: `line ${line}: ${detail}` },
  };
}
