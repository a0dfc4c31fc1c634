import { isTraceId } from '../ids/trace-id.js';
import type { TraceRecord } from '../records/trace.js';
import { Fields } from './fields.js';

/**
 * Reads a trace record.
 *
 * @throws ProtocolError naming the field, when the id is missing or any field has the wrong shape.
 */
export function parseTraceRecord(value: unknown): TraceRecord {
  const trace = Fields.of('trace', value);
  return {
    id: trace.matching('id', isTraceId, 'a UUID in lower case'),
    ...(trace.has('session_id') && { session_id: trace.label('session_id') }),
    ...(trace.has('metadata') && { metadata: trace.object('metadata') }),
    ...(trace.has('contexts') && { contexts: trace.object('contexts') }),
  };
}
