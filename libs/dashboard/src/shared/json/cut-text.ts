/** More than this is not rendered unless asked for: pages stay quick, whatever was recorded. */
const SHOWN_CHARACTERS = 12_000;

/** The head of a text, cut at a line's end where one is near, and never inside a surrogate pair. */
export function cutText(text: string, maxCharacters = SHOWN_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const lineEnd = text.lastIndexOf('\n', maxCharacters);
  if (lineEnd > maxCharacters / 2) return text.slice(0, lineEnd);
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, splitsPair ? maxCharacters - 1 : maxCharacters);
}
