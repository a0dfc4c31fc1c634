import type { Part, ReadText } from './part.js';
import { readMarkdown } from './read-markdown.js';

const UNDERLINE = /^(?:={3,}|-{3,}|~{3,})\s*$/;
const LLMS = /(?:^|\/)llms(?:-\w+)?\.txt$/i;

/** Plain text, split at underlined headings. `llms.txt` is Markdown by its definition. */
export function readText(text: string, source: string): ReadText {
  if (LLMS.test(source)) return readMarkdown(text);
  const parts: (Omit<Part, 'content'> & { lines: string[] })[] = [{ headings: [], lines: [], line: 1 }];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const { lines } = parts.at(-1) as (typeof parts)[number];
    const above = lines.at(-1)?.trim() ?? '';
    const isHeading =
      above !== '' && above.length <= 120 && UNDERLINE.test(line) && (lines.at(-2) ?? '').trim() === '';
    if (isHeading) {
      lines.pop();
      parts.push({ headings: [above], lines: [], line: at + 2 });
    } else lines.push(line);
  }
  return {
    parts: parts.flatMap(({ lines, ...part }) => {
      const content = lines
        .join('\n')
        .replace(/^\s*\n/, '')
        .trimEnd();
      return content.trim() === '' ? [] : [{ ...part, content }];
    }),
  };
}
