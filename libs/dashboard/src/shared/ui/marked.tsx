/** A text with the words and prefixes of a search marked. */
export function Marked({ text, search }: { text: string; search: string }) {
  const words = search.split(/[\s"*]+/).filter((word) => word !== '');
  if (words.length === 0) return text;
  const pattern = new RegExp(`(${words.map(escapePattern).join('|')})`, 'giu');
  // `split` with a group returns the matches at the odd places.
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
