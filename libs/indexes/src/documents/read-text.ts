import type { Part, ReadText } from './part.js';
import { readMarkdown } from './read-markdown.js';

/** A line of one character, at least three times. */
const LINE = /^([=\-~^"'`+*#.:_<>])\1{2,}\s*$/;
const LLMS = /(?:^|\/)llms(?:-\w+)?\.txt$/i;
const MAX_HEADING_LENGTH = 120;
const BYTE_ORDER_MARK = /^\uFEFF/;
const LINE_END = /\r\n|\n|\r/;

const CODE = /^(\s*)\.\. (?:code-block|code|sourcecode|parsed-literal|highlight)::[ \t]*([\w+#-]*)/;
const OPTION = /^\s*:[\w-]+:/;

/** Splits plain text at underlined headings. `llms.txt` is Markdown by definition. */
export function readText(text: string, source: string): ReadText {
  return LLMS.test(source) ? readMarkdown(text) : { parts: splitAtHeadings(splitLines(text)) };
}

/**
 * Splits reStructuredText at its headings. Code directives and literal blocks become fences; roles and tables stay as they are.
 * Written here because npm has no maintained parser.
 */
export function readRst(text: string): ReadText {
  const parts = splitAtHeadings(withFences(splitLines(text)));
  const title = parts[0]?.headings[0];
  return { parts, ...(title !== undefined && { title }) };
}

function splitLines(text: string): string[] {
  return text.replace(BYTE_ORDER_MARK, '').split(LINE_END);
}

/** The level of a heading is the position of its kind of line in the order of first use. */
function splitAtHeadings(lines: readonly string[]): Part[] {
  const parts: (Omit<Part, 'content'> & { lines: string[] })[] = [{ headings: [], lines: [], line: 1 }];
  const kinds: string[] = [];
  const path: string[] = [];
  let isCode = false;
  for (const [at, line] of lines.entries()) {
    const { lines: taken } = parts.at(-1) as (typeof parts)[number];
    const isFence = line.startsWith('```');
    if (isFence) isCode = !isCode;
    const mark = isCode || isFence ? undefined : LINE.exec(line)?.[1];
    const heading = mark === undefined ? undefined : headingAbove(taken, mark);
    if (mark === undefined || heading === undefined) {
      taken.push(line);
      continue;
    }
    taken.splice(taken.length - heading.lineCount);
    const kind = `${mark}${heading.lineCount}`;
    if (!kinds.includes(kind)) kinds.push(kind);
    path.splice(kinds.indexOf(kind));
    path.push(heading.text);
    parts.push({ headings: [...path], lines: [], line: at + 2 });
  }
  return parts.flatMap(({ lines: taken, ...part }) => {
    const content = taken
      .join('\n')
      .replace(/^\s*\n/, '')
      .trimEnd();
    return content.trim() === '' ? [] : [{ ...part, content }];
  });
}

/** The heading above an underline. It must be alone in its paragraph, or have the same line above. */
function headingAbove(
  lines: readonly string[],
  mark: string,
): { text: string; lineCount: number } | undefined {
  const text = lines.at(-1)?.trim() ?? '';
  if (text === '' || text.length > MAX_HEADING_LENGTH || LINE.test(text)) return undefined;
  const above = lines.at(-2) ?? '';
  if (above.trim() === '') return { text, lineCount: 1 };
  const isOverlined = LINE.exec(above)?.[1] === mark && (lines.at(-3) ?? '').trim() === '';
  return isOverlined ? { text, lineCount: 2 } : undefined;
}

/** Adds fences around code. The added lines shift the line numbers of later parts. */
function withFences(lines: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const directive = CODE.exec(line);
    const isLiteral = !directive && /(?:^|[^:\s]|\s):{2}\s*$/.test(line) && !/^\s*\.\. /.test(line);
    if (!directive && !isLiteral) {
      out.push(line);
      continue;
    }
    if (isLiteral) out.push(line.replace(/:{2}\s*$/, ':').replace(/^\s*:$/, ''));
    const { body, end } = indentedAfter(lines, at, (directive?.[1] ?? readIndent(line)).length);
    at = end;
    if (body.length > 0) out.push('', `\`\`\`${directive?.[2] ?? ''}`, ...body, '```', '');
  }
  return out;
}

/** The block that is indented deeper than the line before, without its indent and the options of the directive. */
function indentedAfter(lines: readonly string[], at: number, outer: number): { body: string[]; end: number } {
  let end = at;
  while (OPTION.test(lines[end + 1] ?? '') && readIndent(lines[end + 1] ?? '').length > outer) end++;
  const begin = end + 1;
  while (
    end + 1 < lines.length &&
    ((lines[end + 1] ?? '').trim() === '' || readIndent(lines[end + 1] ?? '').length > outer)
  )
    end++;
  const block = lines.slice(begin, end + 1);
  const indent = Math.min(
    ...block.filter((line) => line.trim() !== '').map((line) => readIndent(line).length),
  );
  const text = block.map((line) => line.slice(indent)).join('\n');
  if (text.trim() === '') return { body: [], end };
  const trimmed = text.replace(/^\s*\n/, '').trimEnd();
  return { body: trimmed.split('\n'), end };
}

function readIndent(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
