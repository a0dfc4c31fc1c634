/** A text of at most `most` characters, and a sign that there was more. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** How much of what is the same stands before a difference. */
const BEFORE = 120;

/** Of two texts that differ as much as `most` characters each, from a little before the first difference on. */
export function shortenBoth(a: string, b: string, most: number): [string, string] {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const before = Math.min(BEFORE, Math.floor(most / 2));
  const isShown = same + before < most || (a.length <= most && b.length <= most);
  const from = isShown ? 0 : same - before;
  const cut = (text: string): string => `${from === 0 ? '' : '…'}${shorten(text.slice(from), most)}`;
  return [cut(a), cut(b)];
}
