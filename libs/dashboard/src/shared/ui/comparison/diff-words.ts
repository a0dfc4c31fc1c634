import { diffArrays } from 'diff';

export interface WordPart {
  text: string;
  isChanged: boolean;
}

const MAX_CHARACTERS = 4_000;
const MAX_CHANGED_WORDS = 400;

/** What differs within a changed line, for both sides; `undefined` when telling it would help nobody. */
export function diffWords(left: string, right: string): { left: WordPart[]; right: WordPart[] } | undefined {
  if (left.length + right.length > MAX_CHARACTERS) return undefined;
  const changes = diffArrays(wordsOf(left), wordsOf(right), { maxEditLength: MAX_CHANGED_WORDS })?.map(
    ({ value, ...change }) => ({ ...change, value: value.join('') }),
  );
  const hasCommonWord = changes?.some(
    ({ added, removed, value }) => !added && !removed && value.trim() !== '',
  );
  if (!changes || !hasCommonWord) return undefined;
  return {
    left: changes
      .filter(({ added }) => !added)
      .map(({ value, removed }) => ({ text: value, isChanged: removed })),
    right: changes
      .filter(({ removed }) => !removed)
      .map(({ value, added }) => ({ text: value, isChanged: added })),
  };
}

/** The line break that JSON writes as `\\n` is no beginning of the word behind it. */
function wordsOf(text: string): string[] {
  return text.match(/\\u[\da-f]{4}|\\.|[\p{L}\p{M}\p{N}_]+|\s+|./gsu) ?? [];
}
