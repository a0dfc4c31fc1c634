const STOP_WORDS = new Set(
  'a about after all also am an and any are as at be because been but by can could did do does for from get had has have hello help her hi him his how i if in into is it its just like me my no not now of on or our out please she so some than thank thanks that the their them then there they this to too us was we were what when where which who why will with would you your'.split(
    ' ',
  ),
);

const STEM_LENGTH = 6;

/** Stems of the words in a text, without stop words. */
export function readStems(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+(?:-\d+)?/g) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem));
}

export function sharedStems(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((word) => b.has(word)).length;
}

/** `charged`, `charges` and `charge` have the same stem. */
function stem(word: string): string {
  return word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:ing|ed|es|s|e)$/, '')
    .slice(0, STEM_LENGTH);
}
