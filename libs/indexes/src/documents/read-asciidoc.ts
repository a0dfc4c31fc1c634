import type { ReadText } from './part.js';
import { readHtml } from './read-html.js';

/** Converts AsciiDoc to HTML with Asciidoctor, in its mode `secure`: it includes and fetches nothing. Loaded when first used. */
export async function readAsciiDoc(text: string): Promise<ReadText> {
  const { load, LoggerManager, NullLogger } = await import('@asciidoctor/core');
  LoggerManager.setLogger(NullLogger.create());
  const attributes = { showtitle: '', 'toc!': '', 'sectanchors!': '' };
  const document = await load(text, { safe: 'secure', attributes });
  const html = await document.convert();
  const read = readHtml(html);
  const about = ['description', 'keywords']
    .map((name): unknown => document.getAttribute(name))
    .filter((value) => typeof value === 'string' && value !== '')
    .join('\n');
  const title = read.title ?? document.getDocumentTitle();
  const parts =
    about === ''
      ? read.parts
      : [{ headings: read.parts[0]?.headings.slice(0, 1) ?? [], content: about }, ...read.parts];
  return { parts, ...(typeof title === 'string' && title !== '' && { title }) };
}
