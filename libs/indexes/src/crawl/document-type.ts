import { extname } from 'node:path';
import type { DocumentType } from '@dacapo/protocol';

const DOCUMENT_TYPE_BY_EXTENSION = new Map<string, DocumentType>([
  ['.md', 'text/markdown'],
  ['.mdx', 'text/markdown'],
  ['.html', 'text/html'],
  ['.htm', 'text/html'],
  ['.txt', 'text/plain'],
  ['.rst', 'text/x-rst'],
  ['.adoc', 'text/asciidoc'],
  ['.asciidoc', 'text/asciidoc'],
  ['.json', 'application/json'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
]);

/** Not `.d.mts` and `.d.cts`, which repeat the same declarations. */
const DECLARATIONS = /\.d\.ts$/;

/** The type by file name; `undefined` for files that cannot become documents. */
export function documentType(path: string): DocumentType | undefined {
  if (DECLARATIONS.test(path)) return 'text/typescript';
  return DOCUMENT_TYPE_BY_EXTENSION.get(extname(path).toLowerCase());
}
