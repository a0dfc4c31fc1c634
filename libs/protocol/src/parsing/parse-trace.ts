import { isTraceId } from '../ids/ids.js';
import type { JsonObject } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import type { TraceRecord } from '../records/trace.js';
import { TRACE_LABELS, type TraceLabel } from '../records/trace-facts.js';
import { Fields } from './fields.js';

/**
 * Reads a trace record.
 *
 * @throws ProtocolError with the name of the field if the id is missing, or a field is invalid or has too many names
 */
export function parseTraceRecord(value: unknown): TraceRecord {
  const trace = Fields.of('trace', value);
  const record: TraceRecord = { id: trace.matching('id', isTraceId, 'a UUID in lower case') };
  if (trace.has('at')) record.at = trace.timestamp('at');
  readTraceLabels(trace, record);
  if (trace.has('metadata')) record.metadata = readAttributes(trace, 'metadata');
  if (trace.has('contexts')) record.contexts = readAttributes(trace, 'contexts');
  return record;
}

/** Reads the labels and tags of a span or a patch into its record. @throws ProtocolError */
export function readTraceLabels(
  fields: Fields,
  record: Partial<Record<TraceLabel, string>> & { tags?: string[] },
): void {
  for (const label of TRACE_LABELS) if (fields.has(label)) record[label] = fields.label(label);
  if (fields.has('tags')) record.tags = readTags(fields);
}

/** @throws ProtocolError if there are more than `LIMITS.tags`, or one is not a string, is blank or too long */
function readTags(record: Fields): string[] {
  const tags = record.array('tags', LIMITS.tags).map((tag, index) => {
    const isTag = typeof tag === 'string' && tag.trim() !== '' && tag.length <= LIMITS.tagLength;
    return isTag
      ? tag
      : record.fail(`tags[${index}]`, `must be a non-blank string of at most ${LIMITS.tagLength} characters`);
  });
  return [...new Set(tags)];
}

/** @throws ProtocolError if there are more than `LIMITS.traceAttributes` */
export function readAttributes(record: Fields, name: string): JsonObject {
  return record.object(name, LIMITS.traceAttributes);
}
