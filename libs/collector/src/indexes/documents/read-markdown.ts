import { Anchors, headingText, MarkdownHeadings } from './markdown-headings.js';
import { frontMatterOf } from './front-matter.js';
import type { Part, ReadText } from './part.js';
import { UnreadableDocumentError } from './unreadable-document-error.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const TABLE_OR_RULE = /^\s*[|+]/;
/** `import` and `export` of MDX, outside of fences. */
const MDX_STATEMENT =
  /^(?:import\s.+\sfrom\s+['"].+['"];?|import\s+['"].+['"];?|export\s+(?:const|default|\{).*)$/;
const DATA_URL = /\bdata:[\w.+-]+\/[\w.+-]+;base64,[\w+/=]*/g;
const COMMENT = /^\s*<!--(?:(?!-->).)*-->\s*$/;

/** Headings of one document: what has more was not written for people. */
const MOST_HEADINGS = 100_000;

interface OpenPart extends Omit<Part, 'content'> {
  lines: string[];
  level: number;
}

/**
 * Markdown or MDX, split at its headings: `#`, underlined, and HTML's. Front matter gives the title, and what it says otherwise
 * stands before the text. A heading without text is a part only when there is nothing below it.
 *
 * @throws UnreadableDocumentError when it has more headings than any text that was written for people
 */
export function readMarkdown(text: string): ReadText {
  const { title, description, body, lineCount } = frontMatterOf(text);
  const parts: OpenPart[] = [
    { headings: [], lines: description === undefined ? [] : [description], level: 0, line: 1 },
  ];
  const headings = new MarkdownHeadings();
  const anchors = new Anchors();
  const path: { level: number; text: string }[] = [];
  let fence: string | undefined;

  const open = (level: number, text: string, line: number): void => {
    if (parts.length > MOST_HEADINGS)
      throw new UnreadableDocumentError(`more than ${MOST_HEADINGS} headings`);
    const { name, anchor } = headingText(text);
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, text: name });
    parts.push({
      headings: path.map((heading) => heading.text),
      lines: [],
      level,
      anchor: anchor ?? anchors.next(name),
      line,
    });
  };

  for (const [at, line] of body.entries()) {
    const lines = parts.at(-1)?.lines ?? [];
    const mark = FENCE.exec(line);
    const wasInFence = fence !== undefined;
    if (mark) fence = nextFence(fence, mark[1] ?? '', mark[2] ?? '');
    if (wasInFence || fence !== undefined) {
      lines.push(line.replace(DATA_URL, ''));
      continue;
    }
    const heading = headings.take(line, TABLE_OR_RULE.test(lines.at(-1) ?? '') ? '' : (lines.at(-1) ?? ''));
    if (heading === 'begun' || MDX_STATEMENT.test(line) || COMMENT.test(line)) continue;
    if (heading === undefined) {
      lines.push(line.replace(DATA_URL, ''));
      continue;
    }
    if (heading.isUnderline) lines.pop();
    open(heading.level, heading.text, lineCount + at + 1);
  }
  const first = parts.find(({ level }) => level === 1) ?? parts[1];
  const named = title ?? first?.headings.at(-1);
  return { ...(named !== undefined && { title: named }), parts: closed(parts) };
}

function closed(parts: readonly OpenPart[]): Part[] {
  return parts.flatMap(({ lines, level, ...part }, at) => {
    const content = lines
      .join('\n')
      .replace(/^\s*\n/, '')
      .trimEnd();
    if (content.trim() !== '') return [{ ...part, content }];
    const isAbove = (parts[at + 1]?.level ?? 0) > level;
    return isAbove || level === 0 ? [] : [{ ...part, content: part.headings.at(-1) ?? '' }];
  });
}

/** A fence closes with its own character, at least as long, and nothing behind it; anything else inside is text. */
function nextFence(open: string | undefined, mark: string, rest: string): string | undefined {
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark;
  return mark.startsWith(open) && rest.trim() === '' ? undefined : open;
}
