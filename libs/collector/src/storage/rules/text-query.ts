import { LIMITS, ProtocolError, type SpanRecord } from '@dacapo/protocol';
import { IS_UNSPACED, type SearchedSpan, searchedWords, splitWords } from './searched-words.js';

/** Adjacent words of one text. With `isPrefix`, the last one is the start of a word. */
export interface TextTerm {
  words: readonly string[];
  isPrefix: boolean;
}

/** A span matches if it has all terms. */
export type TextQuery = readonly TextTerm[];

/** Shorter beginnings match too many words. */
const SHORTEST_BEGINNING = 3;

/**
 * Parses words, "phrases" and beginnings such as `refund*`. All other characters separate words, so there are no syntax errors:
 * `foo-bar` is a phrase of two words.
 *
 * @throws ProtocolError when it has no word, too many, or a beginning that is too short
 */
export function readTextQuery(text: string, field = 'text'): TextQuery {
  const terms = parseTextQuery(text);
  if (terms.length === 0) throw new ProtocolError(field, 'must have a letter or a digit');
  if (terms.length > LIMITS.textTerms) {
    const problem = `must have at most ${LIMITS.textTerms} words and phrases, not ${terms.length}`;
    throw new ProtocolError(field, problem);
  }
  const short = terms.find(
    ({ words, isPrefix }) => isPrefix && (words.at(-1) ?? '').length < SHORTEST_BEGINNING,
  );
  if (short !== undefined) {
    throw new ProtocolError(
      field,
      `must have ${SHORTEST_BEGINNING} characters or more before a *, as in ref*`,
    );
  }
  return terms;
}

export function parseTextQuery(text: string): TextQuery {
  return Array.from(text.matchAll(/"([^"]*)"?|([^\s"*]+)(\*?)/g), ([, phrase, word = '', star]) => {
    const words = splitWords(phrase ?? word);
    return { words, isPrefix: star === '*' && !IS_UNSPACED.test(words.at(-1) ?? '') };
  }).filter(({ words }) => words.length > 0);
}

export function toSearchedSpan({
  name,
  span_data: data,
}: Pick<SpanRecord, 'name' | 'span_data'>): SearchedSpan {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  return {
    name,
    input: json(data.input),
    output: json(data.output),
    error: json(data.error),
    prompt: json(data.prompt),
  };
}

export function hasText(span: SearchedSpan, query: TextQuery): boolean {
  const text = ` ${searchedWords(span, LIMITS.searchedCharacters)} `;
  return query.every(({ words, isPrefix }) => text.includes(` ${words.join(' ')}${isPrefix ? '' : ' '}`));
}
