const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const HTML_OPEN = /^\s*<h([1-6])(?:\s[^>]*)?>/i;
const HTML_CLOSE = /<\/h[1-6]>/i;
/** Maximum of lines in an HTML heading. */
const MAX_HTML_LINES = 6;
/** The rest of a longer heading is skipped. */
const MAX_HEADING_LENGTH = 200;

export interface FoundHeading {
  level: number;
  /** The source text. */
  text: string;
  /** The heading is the line above. */
  isUnderline?: true;
}

/** Finds headings line by line. Callers skip code. */
export class MarkdownHeadings {
  private html: { level: number; lines: string[] } | undefined;

  /**
   * @param above the previous line if it may be a heading, else blank
   * @returns the heading that ends in this line; `begun` inside a heading that continues
   */
  take(line: string, above: string): FoundHeading | 'begun' | undefined {
    if (this.html || HTML_OPEN.test(line)) return this.takeHtml(line);
    const heading = HEADING.exec(line);
    if (heading) return { level: heading[1]?.length ?? 1, text: removeClosingMarks(heading[2] ?? '') };
    const underline = above.trim() === '' ? null : UNDERLINE.exec(line);
    if (!underline) return undefined;
    return { level: underline[1]?.startsWith('=') === true ? 1 : 2, text: above, isUnderline: true };
  }

  private takeHtml(line: string): FoundHeading | 'begun' {
    this.html ??= { level: Number(HTML_OPEN.exec(line)?.[1] ?? 1), lines: [] };
    const { level, lines } = this.html;
    lines.push(line);
    if (!HTML_CLOSE.test(line) && lines.length < MAX_HTML_LINES) return 'begun';
    this.html = undefined;
    return { level, text: lines.join(' ') };
  }
}

/** Removes the closing marks in `## Install ##`. */
function removeClosingMarks(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === '#') end--;
  return end === 0 || trimmed[end - 1] === ' ' ? trimmed.slice(0, end).trim() : trimmed;
}

/** The visible text of a heading, and its own anchor if it has one. */
export function headingText(raw: string): { name: string; anchor?: string } {
  const text = raw.slice(0, 10 * MAX_HEADING_LENGTH);
  const anchor =
    /\{#([\w.:-]+)\}\s*$/.exec(text)?.[1] ?? /<a\s[^>]*\b(?:id|name)=["']?([\w.:-]+)/i.exec(text)?.[1];
  const name = text
    .replace(/\{#[\w.:-]+\}\s*$/, '')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/[`*]/g, '')
    .replace(/\\([\\<>[\]_()#])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_HEADING_LENGTH);
  return anchor === undefined ? { name } : { name, anchor };
}

/** Generates anchors like GitHub. The second heading with the same name ends with `-1`. */
export class Anchors {
  private readonly counts = new Map<string, number>();

  next(name: string): string {
    const slug = slugify(name);
    const count = this.counts.get(slug) ?? 0;
    this.counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}

function slugify(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
