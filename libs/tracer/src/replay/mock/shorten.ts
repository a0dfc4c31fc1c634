/** A text of at most `most` characters, and a sign that there was more. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
