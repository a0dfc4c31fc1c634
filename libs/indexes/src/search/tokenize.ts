import { stem } from './stem.js';

/** A word of a text, with the terms that find it. */
export interface Token {
  /** In lower case, without separators: `disablenetconnect`. */
  whole: string;
  /** Stems of the parts, or of the plain word; pairs of letters in scripts without spaces. */
  parts: string[];
  /** Whether it has several parts: `disableNetConnect`, `retry-after`, `v1.2.3`. */
  isCompound: boolean;
}

/** Letters and digits, joined by the separators in names. */
const WORD = /[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*(?:[-.:/#@'’][\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*)*/gu;
const SEPARATORS = /[-.:/#@'’_$]+/;
const CASE_CHANGE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L}{2})(?=\p{N})/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const HAS_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\ud840-\ud8bf]/;

/** A longer name is an address or data, and is found by its parts only. */
const MAX_NAME_PARTS = 6;
const MAX_NAME_LENGTH = 80;

export function tokenize(text: string): Token[] {
  return splitWords(text).flatMap(tokenizeWord);
}

/** Splits at white space and punctuation. */
export function splitWords(text: string): string[] {
  return text.normalize('NFKC').match(WORD) ?? [];
}

/** One token for a plain word; for a name, one for the whole and one for each member. */
export function tokenizeWord(word: string): Token[] {
  if (HAS_UNSPACED.test(word)) return unspacedTokens(word);
  if (/^[\p{L}\p{M}]+$/u.test(word) && !CASE_CHANGE.test(word)) return [plain(word.toLowerCase())];
  const members = word
    .replace(/['’]s$/, '')
    .split(SEPARATORS)
    .filter((member) => member !== '');
  const tokens = members.map(memberToken);
  const parts = tokens.flatMap((token) => token.parts);
  if (members.length === 1 || members.length > MAX_NAME_PARTS || word.length > MAX_NAME_LENGTH) return tokens;
  return [
    { whole: members.join('').toLowerCase(), parts, isCompound: true },
    // Their parts are already those of the whole name.
    ...tokens.filter((token) => token.isCompound).map((token) => ({ ...token, parts: [] })),
  ];
}

function memberToken(member: string): Token {
  const parts = member.split(CASE_CHANGE);
  const whole = member.toLowerCase();
  if (parts.length === 1 || member.length > MAX_NAME_LENGTH) return plain(whole.slice(0, MAX_NAME_LENGTH));
  return { whole, parts: parts.map((part) => stem(part.toLowerCase())), isCompound: true };
}

function plain(word: string): Token {
  return { whole: word, parts: [stem(word)], isCompound: false };
}

/** Pairs of letters, because most Chinese words have two. A single letter is a term too. */
function unspacedTokens(word: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of word.matchAll(UNSPACED)) {
    tokens.push(...spacedRest(word.slice(end, match.index)));
    end = match.index + match[0].length;
    const letters = Array.from(match[0]);
    if (letters.length === 1) tokens.push({ whole: match[0], parts: [match[0]], isCompound: false });
    for (let at = 0; at + 1 < letters.length; at++) {
      const pair = `${letters[at]}${letters[at + 1]}`;
      tokens.push({ whole: pair, parts: [pair], isCompound: false });
    }
  }
  return [...tokens, ...spacedRest(word.slice(end))];
}

function spacedRest(text: string): Token[] {
  return /[\p{L}\p{N}]/u.test(text) ? tokenize(text) : [];
}
