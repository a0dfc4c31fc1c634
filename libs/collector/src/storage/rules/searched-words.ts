// Imports nothing, because the database's thread loads it.

/** The searched part of a span: its name, and the JSON of its payload. */
export interface SearchedSpan {
  name: string;
  input?: string | null;
  output?: string | null;
  error?: string | null;
  prompt?: string | null;
}

/** Separates two texts, so that no phrase spans both. No text contains it as a word. */
const TEXT_END = '\uE000';

/** The searched fields of a payload. */
export const SEARCHED_FIELDS = ['input', 'output', 'error', 'prompt'] as const;

/** The length at which words are cut. */
const WORD_LENGTH = 64;

/** Writing without spaces between words. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
export const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const WORDS = new RegExp(`[${UNSPACED}]\\p{Mn}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');

const IS_ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]/g;

/** Strings of JSON, the last of which may be cut, and whole numbers. A colon marks a name. */
const JSON_TEXTS = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(:)?|\\?$)|-?(\d+)((?:\.\d+)?(?:[eE][-+]?\d+)?)/gs;

/**
 * Files in base64, such as images: long runs of its alphabet with letters of both cases and digits. They are not indexed and do not
 * count towards the limit of characters.
 */
const LONG_RUNS = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{256,}={0,2}/g;
const SHORTEST_BASE64 = 256;
const BASE64_CHARACTERS = [/[a-z]/, /[A-Z]/, /\d/];
/** The number of characters that decide whether a run is base64. */
const RUN_HEAD = 201;

const JSON_ESCAPES = /\\(?:u[0-9a-fA-F]{4}|.)/gs;

/** Words in lower case and without accents. In writing without spaces, each character is a word. */
export function splitWords(text: string): string[] {
  const lower = text.toLowerCase();
  const words = IS_ASCII.test(lower)
    ? lower.match(ASCII_WORDS)
    : lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').match(WORDS);
  return (words ?? []).map((word) => (word.length > WORD_LENGTH ? word.slice(0, WORD_LENGTH) : word));
}

/**
 * The words of a span as one text: its name, and the strings and whole numbers in its input, output, error and prompt. Names of members
 * are skipped.
 *
 * @param characters maximum of the JSON of each field, not counting files in base64
 * @param prefix starts each word
 */
export function searchedWords(span: SearchedSpan, characters: number, prefix = ''): string {
  const separator = ` ${prefix}`;
  return splitTexts(span, characters)
    .map((words) => prefix + words.join(separator))
    .join(` ${TEXT_END} `);
}

/** Whether a field has words after this number of characters, which are not searched. */
export function isCut(span: SearchedSpan, characters: number): boolean {
  return SEARCHED_FIELDS.some((field) => {
    const json = span[field] ?? '';
    return json.length > characters && withoutFiles(json, characters).length > characters;
  });
}

export function withoutFiles(json: string, characters: number): string {
  if (json.length <= Math.min(characters, SHORTEST_BASE64)) return json;
  return json.replace(LONG_RUNS, (run) => {
    const head = run.slice(0, RUN_HEAD);
    return BASE64_CHARACTERS.every((kind) => kind.test(head)) ? '' : run;
  });
}

/** Splits each text of a span into words. Texts without words are left out. */
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
