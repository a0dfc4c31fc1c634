import { isTraceId } from '../ids/trace-id.js';
import type { JsonObject } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import type { TraceRecord } from '../records/trace.js';
import { Fields } from './fields.js';

/**
 * Reads a trace record.
 *
 * @throws ProtocolError naming the field, when the id is missing or any field has the wrong shape or too many names.
 */
export function parseTraceRecord(value: unknown): TraceRecord {
  const trace = Fields.of('trace', value);
  return {
    id: trace.matching('id', isTraceId, 'a UUID in lower case'),
    ...(trace.has('at') && { at: trace.timestamp('at') }),
    ...(trace.has('session_id') && { session_id: trace.label('session_id') }),
    ...(trace.has('metadata') && { metadata: readAttributes(trace, 'metadata') }),
    ...(trace.has('contexts') && { contexts: readAttributes(trace, 'contexts') }),
  };
}

/** @throws ProtocolError when there are more than `LIMITS.traceAttributes` */
export function readAttributes(record: Fields, name: string): JsonObject {
  return record.object(name, LIMITS.traceAttributes);
}
