import { isTraceId } from '../ids/trace-id.js';
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
  return {
    id: trace.matching('id', isTraceId, 'a UUID in lower case'),
    ...(trace.has('at') && { at: trace.timestamp('at') }),
    ...readTraceLabels(trace),
    ...(trace.has('metadata') && { metadata: readAttributes(trace, 'metadata') }),
    ...(trace.has('contexts') && { contexts: readAttributes(trace, 'contexts') }),
  };
}

/** Reads the labels and tags of a span or a patch. @throws ProtocolError */
export function readTraceLabels(record: Fields): Partial<Record<TraceLabel, string>> & { tags?: string[] } {
  const labels: Partial<Record<TraceLabel, string>> & { tags?: string[] } = {};
  for (const label of TRACE_LABELS) if (record.has(label)) labels[label] = record.label(label);
  if (record.has('tags')) labels.tags = readTags(record);
  return labels;
}

/** @throws ProtocolError if there are more than `LIMITS.tags`, or one is not a string, is blank or too long */
export function readTags(record: Fields): string[] {
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
