import { isCut, type SearchedSpan, searchedWords } from '../../../rules/searched-words.js';
import { accountPrefix } from '../../../spans/account-prefix.js';
import type { MapRows } from '../statement-thread.js';
import { joinHead } from './payload-parts.js';

/** The searched fields that may have separate large parts. */
export const CUT_FIELDS = ['input', 'output', 'prompt'] as const;

type CutField = (typeof CUT_FIELDS)[number];

/** A row to index: the starts of a span's fields and of their separate parts. */
interface Source extends SearchedSpan, Record<`${CutField}_parts`, string | null> {
  span_no: number;
  account_id: string;
  changes: number | null;
}

export interface WordBounds {
  /** Maximum of characters that are indexed in each field. */
  inField: number;
}

/** The words of some spans as UTF-8, in one block of memory that moves between threads without a copy. */
export interface SpanWords {
  spans: {
    number: number;
    accountId: string;
    changes: number | null;
    /** Whether it has words beyond the indexed length. */
    isCut: boolean;
    begin: number;
    end: number;
  }[];
  bytes: Uint8Array<ArrayBuffer>;
}

/** Runs in the thread that reads the rows. */
export const mapRows: MapRows<Source, WordBounds, SpanWords> = (rows, { inField }) => {
  const sources = rows.map(withParts);
  const words = sources.map((source) => searchedWords(source, inField, accountPrefix(source.account_id)));
  const bytes = Buffer.alloc(words.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let end = 0;
  const spans = sources.map((source, index) => {
    const { span_no: number, account_id: accountId, changes } = source;
    const begin = end;
    end += bytes.write(words[index] ?? '', begin);
    return { number, accountId, changes, isCut: isCut(source, inField), begin, end };
  });
  return { value: { spans, bytes }, transfer: [bytes.buffer] };
};

function withParts(source: Source): Source {
  const whole = { ...source };
  for (const field of CUT_FIELDS) whole[field] = joinHead(source[field] ?? null, source[`${field}_parts`]);
  return whole;
}
