import type { Parameters } from '../../../meta/transaction.js';
import type { StoredSpan } from '../../../rules/span-usage.js';
import { type EncodedSpan, toSpanRow as toSharedRow } from '../../../spans/encode-spans.js';
import type { SpanRow } from '../../../spans/rows.js';

/** The row of `spans`. */
export function toSpanRow(encoded: EncodedSpan, span_no: number): SpanRow & Parameters {
  return { ...toSharedRow(encoded, span_no), is_open: isOpen(encoded.span) };
}

/** Whether a later record may change the span; see `joinRecords`. */
function isOpen({ status, span_data: { meta } }: StoredSpan): boolean {
  return status === 'unfinished' || meta?.continues === true;
}
