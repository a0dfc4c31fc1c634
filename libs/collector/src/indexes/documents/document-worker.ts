import { type IndexedDocument, readDocument, UnreadableDocumentError } from '@dacapo/indexes';
import type { DocumentUpload } from '@dacapo/protocol';
import { serveCalls } from '../../workers/serve-calls.js';

export type ReadResult = { document: IndexedDocument } | { reason: string };

serveCalls({
  async read(upload: DocumentUpload): Promise<ReadResult> {
    try {
      return { document: await readDocument(upload) };
    } catch (error) {
      if (error instanceof UnreadableDocumentError) return { reason: error.message };
      // One unreadable document must not fail the request with the others.
      return { reason: `cannot be read (${error instanceof Error ? error.message : String(error)})` };
    }
  },
});
