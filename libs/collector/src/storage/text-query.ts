import { type Fields, LIMITS, type SpanRecord } from '@dacapo/protocol';

/** Words that follow one another in one text; with `isPrefix` the last one may go on. */
export interface TextTerm {
  words: readonly string[];
  isPrefix: boolean;
}

/** Terms that are all in one span. */
export type TextQuery = readonly TextTerm[];

/** A span as far as a search looks at it: its name, and JSON of its payload. */
export interface SearchedSpan {
  name: string;
  input?: string | null;
  output?: string | null;
  error?: string | null;
  prompt?: string | null;
}

/** Between two texts, so that no phrase goes over: no text has it as a word. */
const TEXT_END = '\uE000';

const FIELDS = ['input', 'output', 'error', 'prompt'] as const;

/** Of longer words the beginning is taken. */
const WORD_LENGTH = 64;

/** A shorter one begins too many words. */
const SHORTEST_BEGINNING = 3;

/** Writing without spaces between words. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const WORDS = new RegExp(`[${UNSPACED}]\\p{Mn}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');

const IS_ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]/g;

/** Strings of JSON, of which the last may be cut, and whole numbers; a colon marks a name. */
const JSON_TEXTS = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(:)?|\\?$)|-?(\d+)((?:\.\d+)?(?:[eE][-+]?\d+)?)/gs;

const JSON_ESCAPES = /\\(?:u[0-9a-fA-F]{4}|.)/gs;

/** In lower case and without accents, as they are compared. Of writing without spaces each character is a word. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  const words = IS_ASCII.test(lower)
    ? lower.match(ASCII_WORDS)
    : lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').match(WORDS);
  return (words ?? []).map((word) => (word.length > WORD_LENGTH ? word.slice(0, WORD_LENGTH) : word));
}

/**
 * The words of a span, as one text: of its name, and of the strings and whole numbers in its input, output, error and prompt. Names of
 * members are none. Of each field the first `LIMITS.searchedCharacters` characters of its JSON count.
 *
 * @param prefix before each word
 */
export function searchedWords(span: SearchedSpan, prefix = ''): string {
  const separator = ` ${prefix}`;
  return textsOf(span)
    .map((words) => prefix + words.join(separator))
    .join(` ${TEXT_END} `);
}

/** The words of each text that has some. */
function textsOf(span: SearchedSpan): string[][] {
  const texts = [wordsOf(span.name)];
  for (const field of FIELDS) {
    const json = (span[field] ?? '').slice(0, LIMITS.searchedCharacters);
    for (const [, text, colon, digits, fraction] of json.matchAll(JSON_TEXTS)) {
      if (text !== undefined && colon === undefined) texts.push(wordsOf(text.replace(JSON_ESCAPES, ' ')));
      else if (digits !== undefined && fraction === '') texts.push([digits]);
    }
  }
  return texts.filter((words) => words.length > 0);
}

/**
 * Reads words, "phrases" and beginnings such as `refund*`: all of them must be there. What else there is only separates words, so that
 * nothing is a mistake of syntax: `foo-bar` is a phrase of two words.
 *
 * @throws ProtocolError when it has no word, too many, or a beginning that is too short
 */
export function readTextQuery(fields: Fields, name = 'text'): TextQuery {
  const terms = parseTextQuery(fields.label(name));
  if (terms.length === 0) fields.fail(name, 'must have a letter or a digit: it is made of words');
  if (terms.length > LIMITS.textTerms) {
    fields.fail(name, `must have at most ${LIMITS.textTerms} words and phrases, not ${terms.length}`);
  }
  const short = terms.find(
    ({ words, isPrefix }) => isPrefix && (words.at(-1) ?? '').length < SHORTEST_BEGINNING,
  );
  if (short !== undefined) {
    fields.fail(name, `must have ${SHORTEST_BEGINNING} characters at least before a *, as in ref*`);
  }
  return terms;
}

export function parseTextQuery(text: string): TextQuery {
  return Array.from(text.matchAll(/"([^"]*)"?|([^\s"*]+)(\*?)/g), ([, phrase, word = '', star]) => {
    const words = wordsOf(phrase ?? word);
    return { words, isPrefix: star === '*' && !IS_UNSPACED.test(words.at(-1) ?? '') };
  }).filter(({ words }) => words.length > 0);
}

export function searchedSpanOf({
  name,
  span_data: data,
}: Pick<SpanRecord, 'name' | 'span_data'>): SearchedSpan {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  return {
    ...{ name, input: json(data.input), output: json(data.output) },
    ...{ error: json(data.error), prompt: json(data.prompt) },
  };
}

export function hasText(span: SearchedSpan, query: TextQuery): boolean {
  const text = ` ${searchedWords(span)} `;
  return query.every(({ words, isPrefix }) => text.includes(` ${words.join(' ')}${isPrefix ? '' : ' '}`));
}
