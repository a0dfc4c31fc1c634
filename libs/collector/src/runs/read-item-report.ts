import { isJsonObject, LIMITS, ProtocolError, type TestRunItemReport } from '@dacapo/protocol';
import { check, fits, ITEM_NO, ITEM_REPORT } from '@dacapo/protocol/api';

/**
 * Reads one item of a report. Too long lists and texts are cut.
 *
 * @throws ProtocolError that names the field, when a required field is missing or a field is invalid
 */
export function readItemReport(value: unknown): TestRunItemReport {
  if (isNestedDeeper(value, LIMITS.jsonDepth))
    throw new ProtocolError('item', `nests deeper than ${LIMITS.jsonDepth}`);
  const item = check(ITEM_REPORT, value, { path: isJsonObject(value) ? '' : 'item' });
  const isLost = item.source_trace_id !== undefined && item.source_span_id === undefined;
  if (isLost && item.error === undefined) throw new ProtocolError('source_span_id', 'must be 16 hex digits');
  return item;
}

/** Reads the number of an invalid item, if possible. */
export function readItemNo(value: unknown): { item_no?: number } {
  return fits(ITEM_NO, value) ? check(ITEM_NO, value) : {};
}

/** Recursion ends at the limit. */
function isNestedDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isNestedDeeper(part, limit - 1));
}
