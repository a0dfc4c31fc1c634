import { Parser } from 'htmlparser2';
import { HtmlText } from './html-text.js';
import type { ReadText } from './part.js';
import { readMarkdown } from './read-markdown.js';
import { UnreadableDocumentError } from './unreadable-document-error.js';

/** Elements without content on the page's subject. */
const SKIPPED = new Set(
  'nav header footer aside script style noscript svg form iframe template button select'.split(' '),
);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** The parser's work grows with the square of the depth. No page written for people nests as deep. */
const MAX_DEPTH = 2000;

/**
 * Converts headings, code, tables, lists and definitions to Markdown in one pass without recursion, and reads that. If the page has
 * `main` or `article`, only its content counts. Fetches nothing.
 *
 * @throws UnreadableDocumentError when elements nest too deep
 */
export function readHtml(html: string): ReadText {
  const { markdown, title } = toMarkdown(html);
  const read = readMarkdown(markdown);
  const named = title ?? read.title;
  // The lines are those of the Markdown, not of the page.
  const parts = read.parts.map(({ headings, content, anchor }) => ({
    headings,
    content,
    ...(anchor !== undefined && { anchor }),
  }));
  return { parts, ...(named !== undefined && { title: named }) };
}

function toMarkdown(html: string): { markdown: string; title?: string } {
  let text = new HtmlText();
  let title: string | undefined;
  let skipped: { name: string; depth: number } | undefined;
  let main: { name: string; depth: number; isOver: boolean } | undefined;

  let depth = 0;

  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > MAX_DEPTH) throw new UnreadableDocumentError(`elements nest deeper than ${MAX_DEPTH}`);
      if (skipped) {
        if (name === skipped.name) skipped.depth++;
        return;
      }
      if (name === 'title') title ??= '';
      if (main?.isOver === true) return;
      if (SKIPPED.has(name)) {
        if (!VOID.has(name)) skipped = { name, depth: 1 };
        return;
      }
      if (main && name === main.name) main.depth++;
      const isMain = name === 'main' || name === 'article' || attributes['role'] === 'main';
      if (isMain && !main) {
        main = { name, depth: 1, isOver: false };
        text = new HtmlText();
      }
      text.open(name, attributes);
    },
    ontext(data) {
      if (skipped) return;
      if (title !== undefined && text.isInTitle) title += data;
      else if (main?.isOver !== true) text.write(data);
    },
    onclosetag(name) {
      depth--;
      if (skipped) {
        if (name === skipped.name && --skipped.depth === 0) skipped = undefined;
        return;
      }
      if (main?.isOver === true) return;
      text.close(name);
      if (main && name === main.name && --main.depth === 0) main.isOver = true;
    },
  });
  parser.end(html);
  const named = title?.replace(/\s+/g, ' ').trim() ?? '';
  return { markdown: text.toString(), ...(named !== '' && { title: named }) };
}
