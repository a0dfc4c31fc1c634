/** More than this is not rendered unless asked for: pages stay quick and short, whatever was recorded. */
const SHOWN_CHARACTERS = 4_000;
const SHOWN_LINES = 48;
const CHUNK_CHARACTERS = 16_000;

/** The head of a text, cut at a line's end where one is near, and never inside a surrogate pair. */
export function cutText(text: string, maxCharacters = SHOWN_CHARACTERS, maxLines = SHOWN_LINES): string {
  const head = headOf(text, maxCharacters);
  let end = -1;
  for (let line = 0; line < maxLines; line += 1) {
    end = head.indexOf('\n', end + 1);
    if (end === -1) return head;
  }
  return head.slice(0, end);
}

/** The whole text in pieces, cut as {@link cutText} cuts. */
export function textChunks(text: string, maxCharacters = CHUNK_CHARACTERS): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const { length } = headOf(text.slice(start, start + maxCharacters + 1), maxCharacters);
    // The end of its last line belongs to the chunk: the next one begins with a line.
    const end = start + length + (text.charAt(start + length) === '\n' ? 1 : 0);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function headOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const lineEnd = text.lastIndexOf('\n', maxCharacters);
  if (lineEnd > maxCharacters / 2) return text.slice(0, lineEnd);
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, splitsPair ? maxCharacters - 1 : maxCharacters);
}
