/**
 * Characters that a reader does not see, or that change how others look: controls except line ends, format characters (bidi, joiners,
 * tags), lone surrogates, private ones, separators of lines, variation selectors and fillers.
 */
const INVISIBLE =
  // eslint-disable-next-line no-misleading-character-class -- these are ranges of single characters
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;

/** Replaces characters that hide text by escapes that are valid in JSON, such as `\u202e`. Line ends stay. */
export function toVisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, index) =>
      escapeUnit(character.charCodeAt(index)),
    ).join('');
  });
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
