/** Limits of what is rendered before "Show all", to keep pages fast. */
const SHOWN_CHARACTERS = 4_000;
const SHOWN_LINES = 48;
const CHUNK_CHARACTERS = 16_000;

/** The start of a text. Prefers to cut at a line end, and never splits a surrogate pair. */
export function cutText(text: string, maxCharacters = SHOWN_CHARACTERS, maxLines = SHOWN_LINES): string {
  const head = cutHead(text, maxCharacters);
  let end = -1;
  for (let line = 0; line < maxLines; line += 1) {
    end = head.indexOf('\n', end + 1);
    if (end === -1) return head;
  }
  return head.slice(0, end);
}

/** Splits the whole text into chunks by the rules of {@link cutText}. */
export function textChunks(text: string, maxCharacters = CHUNK_CHARACTERS): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const { length } = cutHead(text.slice(start, start + maxCharacters + 1), maxCharacters);
    // The line break belongs to this chunk, so the next one starts with a full line.
    const end = start + length + (text.charAt(start + length) === '\n' ? 1 : 0);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function cutHead(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const lineEnd = text.lastIndexOf('\n', maxCharacters);
  if (lineEnd > maxCharacters / 2) return text.slice(0, lineEnd);
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, splitsPair ? maxCharacters - 1 : maxCharacters);
}
