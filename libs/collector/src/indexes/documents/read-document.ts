import type { DocumentUpload } from '@dacapo/protocol';
import { createHash } from 'node:crypto';
import type { IndexedDocument } from '../../storage/index-store.js';
import { htmlToMarkdown, titleOfHtml } from './html-to-markdown.js';
import { markdownSections } from './markdown-sections.js';
import { splitContent } from './split-content.js';

/** Cuts an upload into sections by its headings; plain text is one section, cut where it is long. */
export function readDocument(upload: DocumentUpload): IndexedDocument {
  const parts = partsOf(upload);
  const title = upload.title ?? titleOf(upload) ?? parts[0]?.titles[0] ?? upload.source;
  return {
    source: upload.source,
    title,
    hash: hashOf(upload),
    sections: parts.flatMap(({ titles, content }) =>
      splitContent(content).map((text) => ({ title: titlePath(title, titles), content: text })),
    ),
  };
}

function partsOf({ content, content_type: type }: DocumentUpload): { titles: string[]; content: string }[] {
  if (type === 'text/plain') return content.trim() === '' ? [] : [{ titles: [], content: content.trim() }];
  return markdownSections(type === 'text/html' ? htmlToMarkdown(content) : content);
}

function titleOf({ content, content_type: type }: DocumentUpload): string | undefined {
  return type === 'text/html' ? titleOfHtml(content) : undefined;
}

/** `Guide › Install › On Linux`; the document's own title is not repeated. */
function titlePath(title: string, titles: string[]): string {
  return [title, ...(titles[0] === title ? titles.slice(1) : titles)].join(' › ');
}

function hashOf({ title, content, content_type: type }: DocumentUpload): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([type, title ?? null, content]))
    .digest();
}
