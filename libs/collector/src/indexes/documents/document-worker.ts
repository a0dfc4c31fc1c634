import type { DocumentUpload } from '@dacapo/protocol';
import type { IndexedDocument } from '../../storage/index-store.js';
import { serveCalls } from '../workers/serve-calls.js';
import { readDocument } from './read-document.js';
import { UnreadableDocumentError } from './unreadable-document-error.js';

export type ReadOutcome = { document: IndexedDocument } | { reason: string };

serveCalls({
  async read(upload: DocumentUpload): Promise<ReadOutcome> {
    try {
      return { document: await readDocument(upload) };
    } catch (error) {
      if (error instanceof UnreadableDocumentError) return { reason: error.message };
      // Whatever is wrong with one document must not fail the request that others came with.
      return { reason: `cannot be read (${error instanceof Error ? error.message : String(error)})` };
    }
  },
});
