import { diffArrays } from 'diff';

export interface WordPart {
  text: string;
  isChanged: boolean;
}

const MAX_CHARACTERS = 4_000;
const MAX_CHANGED_WORDS = 400;

/** The changed words of two lines. `undefined` if the lines are too long or have no word in common. */
export function diffWords(left: string, right: string): { left: WordPart[]; right: WordPart[] } | undefined {
  if (left.length + right.length > MAX_CHARACTERS) return undefined;
  const changes = diffArrays(splitWords(left), splitWords(right), { maxEditLength: MAX_CHANGED_WORDS })?.map(
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

/** Splits off escapes such as `\\n`, so that they do not join the next word. */
function splitWords(text: string): string[] {
  return text.match(/\\u[\da-f]{4}|\\.|[\p{L}\p{M}\p{N}_]+|\s+|./gsu) ?? [];
}
