import type { Parameters } from '../../../meta/transaction.js';
import type { StoredSpan } from '../../../rules/span-usage.js';
import { type EncodedSpan, toSpanRow as toSharedRow } from '../../../spans/encode-spans.js';
import type { SpanRow } from '../../../spans/rows.js';

/** A span with its row of `span_texts`. */
export interface IndexedSpan extends EncodedSpan {
  text: Parameters;
}

/** @param prefix see `accountPrefix` */
export function indexSpan(prefix: string, encoded: EncodedSpan): IndexedSpan {
  const { words, isCut } = encoded;
  const text = {
    words: ` ${words} `,
    lexemes: toLexemes(prefix, words.split(' ')).join(' '),
    is_cut: isCut,
  };
  return { ...encoded, text };
}

/** Words as the index has them, each once. @param prefix see `accountPrefix` */
export function toLexemes(prefix: string, words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word !== '').map((word) => prefix + word);
}

/** The row of `spans`. */
export function toSpanRow(encoded: EncodedSpan, span_no: number): SpanRow & Parameters {
  return { ...toSharedRow(encoded, span_no), is_open: isOpen(encoded.span) };
}

/** Whether a record that comes later may change the span: see `joinRecords`. */
function isOpen({ status, span_data: { meta } }: StoredSpan): boolean {
  return status === 'unfinished' || meta?.continues === true;
}
