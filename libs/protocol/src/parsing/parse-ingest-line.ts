import { ProtocolError } from '../errors.js';
import { hasMoreMembers, isDeeperThan } from '../framing/json-bounds.js';
import type { Line } from '../framing/ndjson.js';
import type { Rejection } from '../http/ingest.js';
import { isJsonObject } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import type { ScoreRecord } from '../records/score.js';
import type { SpanRecord } from '../records/span.js';
import type { TraceRecord } from '../records/trace.js';
import { parseScoreRecord } from './parse-score.js';
import { parseSpanRecord } from './parse-span.js';
import { parseTraceRecord } from './parse-trace.js';

/** One line of an ingest body: a record, or why it is none. */
export type IngestLine =
  { span: SpanRecord } | { trace: TraceRecord } | { score: ScoreRecord } | { rejection: Rejection };

/** Reads a line of the form `{"span":{…}}`, `{"trace":{…}}` or `{"score":{…}}`. Never throws: a bad line never harms its neighbours. */
export function parseIngestLine(line: Line): IngestLine {
  const reject = (detail: string, id?: unknown): IngestLine => ({
    rejection: {
      line: line.number,
      ...(typeof id === 'string' && { id }),
      detail: `line ${line.number}: ${detail}`,
    },
  });
  if (isDeeperThan(line.text, LIMITS.jsonDepth)) return reject(`nests deeper than ${LIMITS.jsonDepth}`);
  if (hasMoreMembers(line.text, LIMITS.lineMembers)) {
    return reject(`has more than ${LIMITS.lineMembers} members of objects`);
  }
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return reject('is not JSON');
  }
  if (!isJsonObject(value)) return reject('must be an object with the key "span", "trace" or "score"');
  try {
    if (Object.hasOwn(value, 'span')) return { span: parseSpanRecord(value['span']) };
    if (Object.hasOwn(value, 'trace')) return { trace: parseTraceRecord(value['trace']) };
    if (Object.hasOwn(value, 'score')) return { score: parseScoreRecord(value['score']) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const record = value['span'] ?? value['trace'] ?? value['score'];
    return reject(error.message, isJsonObject(record) ? record['id'] : undefined);
  }
  return reject('must have the key "span", "trace" or "score"');
}
