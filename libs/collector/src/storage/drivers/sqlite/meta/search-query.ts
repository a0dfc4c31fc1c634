/** Words of a query at most; the rest changes no ranking that matters. */
const WORDS_TAKEN = 64;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * A text as an FTS5 query: any of its words, each as a quoted phrase, so that nothing in it is syntax. A word with
 * inner punctuation, `API_KEY` say, is found as its parts in that order. `undefined` when there is no word in it.
 */
export function toSearchQuery(scope: string, text: string): string | undefined {
  const words = text
    .replaceAll('"', ' ')
    .split(/[\s\p{Cc}]+/u)
    .filter((word) => HAS_LETTER_OR_DIGIT.test(word))
    .slice(0, WORDS_TAKEN);
  if (words.length === 0) return undefined;
  return `scope : "${scope}" AND {title content} : (${words.map((word) => `"${word}"`).join(' OR ')})`;
}
