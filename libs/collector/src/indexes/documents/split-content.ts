/** Characters of one section at most: what a model reads of one find. */
const SECTION_LENGTH = 4000;

/** Splits a long text between paragraphs, or else lines, or else where it must. */
export function splitContent(content: string, most = SECTION_LENGTH): string[] {
  const parts: string[] = [];
  let rest = content;
  while (rest.length > most) {
    const end = breakBefore(rest, most);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest];
}

function breakBefore(text: string, most: number): number {
  for (const gap of ['\n\n', '\n', ' ']) {
    const end = text.lastIndexOf(gap, most);
    if (end > most / 2) return end;
  }
  return most;
}
