import { Parser } from 'htmlparser2';
import { HtmlText } from './html-text.js';
import type { ReadText } from './part.js';
import { readMarkdown } from './read-markdown.js';
import { UnreadableDocumentError } from './unreadable-document-error.js';

/** Parts of a page that say nothing of its subject. */
const FURNITURE = new Set(
  'nav header footer aside script style noscript svg form iframe template button select'.split(' '),
);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** What is open at a time: the parser's work grows with the square of it. */
const MOST_DEPTH = 2000;

/**
 * A page with its headings, code, tables, lists and definitions as Markdown writes them; of one with `main` or `article`, only
 * that. One pass without recursion. Nothing is fetched.
 *
 * @throws UnreadableDocumentError when elements nest deeper than in any page that was written for people
 */
export function readHtml(html: string): ReadText {
  const { markdown, title } = pageOf(html);
  const read = readMarkdown(markdown);
  const named = title ?? read.title;
  // Lines of the page are not those of what it was turned into.
  const parts = read.parts.map(({ headings, content, anchor }) => ({
    headings,
    content,
    ...(anchor !== undefined && { anchor }),
  }));
  return { parts, ...(named !== undefined && { title: named }) };
}

function pageOf(html: string): { markdown: string; title?: string } {
  let text = new HtmlText();
  let title: string | undefined;
  let furniture: { name: string; depth: number } | undefined;
  let main: { name: string; depth: number; isOver: boolean } | undefined;

  let depth = 0;

  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > MOST_DEPTH) throw new UnreadableDocumentError(`elements nest deeper than ${MOST_DEPTH}`);
      if (furniture) {
        if (name === furniture.name) furniture.depth++;
        return;
      }
      if (name === 'title') title ??= '';
      if (main?.isOver === true) return;
      if (FURNITURE.has(name)) {
        if (!VOID.has(name)) furniture = { name, depth: 1 };
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
      if (furniture) return;
      if (title !== undefined && text.isInTitle) title += data;
      else if (main?.isOver !== true) text.write(data);
    },
    onclosetag(name) {
      depth--;
      if (furniture) {
        if (name === furniture.name && --furniture.depth === 0) furniture = undefined;
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
