/** Cuts a text to `most` characters, and marks the cut. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** How much equal text is shown before a difference. */
const BEFORE = 120;

/** Cuts two different texts to `most` characters each, starting a little before the first difference. */
export function shortenBoth(a: string, b: string, most: number): [string, string] {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const before = Math.min(BEFORE, Math.floor(most / 2));
  const isShown = same + before < most || (a.length <= most && b.length <= most);
  const from = isShown ? 0 : same - before;
  const cut = (text: string): string => `${from === 0 ? '' : '…'}${shorten(text.slice(from), most)}`;
  return [cut(a), cut(b)];
}
