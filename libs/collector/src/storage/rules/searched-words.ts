// A thread of the database loads it, and all that it imports: that is nothing.

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

/** Of a payload, those that are searched. */
export const SEARCHED_FIELDS = ['input', 'output', 'error', 'prompt'] as const;

/** Longer words are cut. */
const WORD_LENGTH = 64;

/** Writing without spaces between words. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
export const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const WORDS = new RegExp(`[${UNSPACED}]\\p{Mn}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');

const IS_ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]/g;

/** Strings of JSON, of which the last may be cut, and whole numbers; a colon marks a name. */
const JSON_TEXTS = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(:)?|\\?$)|-?(\d+)((?:\.\d+)?(?:[eE][-+]?\d+)?)/gs;

/**
 * Files in base64, such as images: long runs of its alphabet with letters of both cases and digits. They are no text, and leave the room
 * to what comes after them.
 */
const LONG_RUNS = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{256,}={0,2}/g;
const SHORTEST_BASE64 = 256;
const BASE64_CHARACTERS = [/[a-z]/, /[A-Z]/, /\d/];
/** Characters of a run that show whether it is base64. */
const RUN_HEAD = 201;

const JSON_ESCAPES = /\\(?:u[0-9a-fA-F]{4}|.)/gs;

/** In lower case and without accents, as they are compared. Of writing without spaces each character is a word. */
export function splitWords(text: string): string[] {
  const lower = text.toLowerCase();
  const words = IS_ASCII.test(lower)
    ? lower.match(ASCII_WORDS)
    : lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').match(WORDS);
  return (words ?? []).map((word) => (word.length > WORD_LENGTH ? word.slice(0, WORD_LENGTH) : word));
}

/**
 * The words of a span, as one text: of its name, and of the strings and whole numbers in its input, output, error and prompt. Names of
 * members are none.
 *
 * @param characters of the JSON of each field that count, files in base64 apart
 * @param prefix before each word
 */
export function searchedWords(span: SearchedSpan, characters: number, prefix = ''): string {
  const separator = ` ${prefix}`;
  return splitTexts(span, characters)
    .map((words) => prefix + words.join(separator))
    .join(` ${TEXT_END} `);
}

/** Whether a field has words that are not searched, because they come after so many characters. */
export function isCut(span: SearchedSpan, characters: number): boolean {
  return SEARCHED_FIELDS.some((field) => {
    const json = span[field] ?? '';
    return json.length > characters && withoutFiles(json, characters).length > characters;
  });
}

function withoutFiles(json: string, characters: number): string {
  if (json.length <= Math.min(characters, SHORTEST_BASE64)) return json;
  return json.replace(LONG_RUNS, (run) => {
    const head = run.slice(0, RUN_HEAD);
    return BASE64_CHARACTERS.every((kind) => kind.test(head)) ? '' : run;
  });
}

/** The words of each text that has some. */
function splitTexts(span: SearchedSpan, characters: number): string[][] {
  const texts = [splitWords(span.name)];
  for (const field of SEARCHED_FIELDS) {
    const json = withoutFiles(span[field] ?? '', characters).slice(0, characters);
    for (const [, text, colon, digits, fraction] of json.matchAll(JSON_TEXTS)) {
      if (text !== undefined && colon === undefined) texts.push(splitWords(text.replace(JSON_ESCAPES, ' ')));
      else if (digits !== undefined && fraction === '') texts.push([digits]);
    }
  }
  return texts.filter((words) => words.length > 0);
}
