import { parse } from 'yaml';
import { Anchors, headingText, MarkdownHeadings } from './markdown-headings.js';
import type { Part, ReadText } from './part.js';
import { UnreadableDocumentError } from './unreadable-document-error.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const TABLE_OR_RULE = /^\s*[|+]/;
/** `import` and `export` of MDX. */
const MDX_STATEMENT =
  /^(?:import\s.+\sfrom\s+['"].+['"];?|import\s+['"].+['"];?|export\s+(?:const|default|\{).*)$/;
const DATA_URL = /\bdata:[\w.+-]+\/[\w.+-]+;base64,[\w+/=]*/g;
const COMMENT = /^\s*<!--(?:(?!-->).)*-->\s*$/;

/** No document written for people has more. */
const MAX_HEADINGS = 100_000;

const MAX_FRONT_MATTER_LINES = 200;
const DESCRIBING_FIELDS = ['description', 'summary', 'keywords', 'tags'];

interface FrontMatter {
  title?: string;
  /** The values of {@link DESCRIBING_FIELDS}, one per line. */
  description?: string;
  /** The lines below the front matter. */
  body: string[];
  /** Lines of the front matter. */
  lineCount: number;
}

interface OpenPart extends Omit<Part, 'content'> {
  lines: string[];
  level: number;
}

/**
 * Splits Markdown or MDX at its headings: `#`, underlined and HTML. Front matter has the title, and its description is put before the
 * text. A heading without text is a part only when no deeper heading follows.
 *
 * @throws UnreadableDocumentError when there are too many headings
 */
export function readMarkdown(text: string): ReadText {
  const { title, description, body, lineCount } = parseFrontMatter(text);
  const parts: OpenPart[] = [
    { headings: [], lines: description === undefined ? [] : [description], level: 0, line: 1 },
  ];
  const headings = new MarkdownHeadings();
  const anchors = new Anchors();
  const path: { level: number; text: string }[] = [];
  let fence: string | undefined;

  const open = (level: number, text: string, line: number): void => {
    if (parts.length > MAX_HEADINGS) {
      throw new UnreadableDocumentError(`more than ${MAX_HEADINGS} headings`);
    }
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
    const above = lines.at(-1) ?? '';
    const heading = headings.take(line, TABLE_OR_RULE.test(above) ? '' : above);
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
  return { ...(named !== undefined && { title: named }), parts: closeParts(parts) };
}

function closeParts(parts: readonly OpenPart[]): Part[] {
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

/** A fence is closed by the same character, at least as often, and no text after it. */
function nextFence(open: string | undefined, mark: string, rest: string): string | undefined {
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark;
  return mark.startsWith(open) && rest.trim() === '' ? undefined : open;
}

/** Parses YAML between two lines of `---` at the beginning. Invalid YAML is skipped. */
function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const end =
    lines[0]?.trimEnd() === '---' ? lines.slice(1, MAX_FRONT_MATTER_LINES).findIndex(isRule) + 1 : 0;
  if (end === 0) return { body: lines, lineCount: 0 };
  const fields = parseYaml(lines.slice(1, end).join('\n'));
  const title = toText(fields['title']) ?? toText(fields['sidebar_label']);
  const description = DESCRIBING_FIELDS.map((name) => toText(fields[name])).filter(
    (shown) => shown !== undefined,
  );
  return {
    ...(title !== undefined && { title }),
    ...(description.length > 0 && { description: `${description.join('\n')}\n` }),
    body: lines.slice(end + 1),
    lineCount: end + 1,
  };
}

function isRule(line: string): boolean {
  return line.trimEnd() === '---';
}

function parseYaml(yaml: string): Record<string, unknown> {
  try {
    const fields: unknown = parse(yaml, { logLevel: 'error', maxAliasCount: 0 });
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function toText(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(', ') : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}
