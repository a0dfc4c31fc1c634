import type { Section } from '../../storage/index-store.js';

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Splits Markdown at its headings (ATX and setext); `titles` holds the headings above a section, the topmost first. */
export function markdownSections(text: string): (Section & { titles: string[] })[] {
  const sections: { titles: string[]; lines: string[] }[] = [{ titles: [], lines: [] }];
  const path: { level: number; title: string }[] = [];
  let fence: string | undefined;

  const open = (level: number, title: string): void => {
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, title });
    sections.push({ titles: path.map((heading) => heading.title), lines: [] });
  };

  for (const line of withoutFrontMatter(text).split(/\r\n|\n|\r/)) {
    const lines = sections.at(-1)?.lines ?? [];
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = nextFence(fence, mark);
    const heading = fence === undefined ? HEADING.exec(line) : null;
    const above = lines.at(-1)?.trim() ?? '';
    const underline = fence === undefined && above !== '' ? UNDERLINE.exec(line) : null;
    if (heading) open(heading[1]?.length ?? 1, headingText(heading[2] ?? ''));
    else if (underline) {
      lines.pop();
      open(underline[1]?.startsWith('=') ? 1 : 2, above);
    } else lines.push(line);
  }
  return sections
    .map(({ titles, lines }) => ({ titles, title: titles.at(-1) ?? '', content: lines.join('\n').trim() }))
    .filter(({ title, content }) => title !== '' || content !== '');
}

/** Without the marks that may close a heading: `## Install ##`. */
function headingText(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === '#') end--;
  return end === 0 || trimmed[end - 1] === ' ' ? trimmed.slice(0, end).trim() : trimmed;
}

/** A fence closes with its own character, at least as long; anything else inside is text. */
function nextFence(open: string | undefined, mark: string): string | undefined {
  if (open === undefined) return mark;
  return mark.startsWith(open) ? undefined : open;
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
}
