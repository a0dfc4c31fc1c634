import { readFile } from 'node:fs/promises';
import type { DocumentUpload } from '@dacapo/protocol';
import { describeCause } from '../errors.js';
import type { ServiceClient } from '../service/service-client.js';
import { DocumentBatch } from './document-batch.js';
import type { DocumentFile, SkippedFile } from './find-documents.js';

const DOCUMENT_BYTES = 16 * 1024 * 1024;
/** Recognizes an OpenAPI or Swagger description. */
const OPENAPI = /(?:^|[{,\s])["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]/;

export interface UploadResult {
  readonly added: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedFile[];
}

/** Reads and sends files in batches, so that a large folder never fills the memory. */
export async function uploadDocuments(
  client: ServiceClient,
  indexId: string,
  files: readonly (DocumentFile | DocumentUpload)[],
  onProgress: (done: number) => void = () => undefined,
): Promise<UploadResult> {
  const skipped: SkippedFile[] = [];
  const batch = new DocumentBatch(client, indexId);
  for (const [at, file] of files.entries()) {
    const read = 'path' in file ? await readDocument(file) : { upload: file };
    if ('reason' in read) {
      skipped.push({ path: file.source, reason: read.reason });
      continue;
    }
    await batch.add(read.upload);
    onProgress(at + 1);
  }
  await batch.send();
  const unread = batch.skipped.map(({ source, reason }) => ({ path: source, reason }));
  return { added: batch.added, unchanged: batch.unchanged, skipped: [...skipped, ...unread] };
}

async function readDocument({
  path,
  source,
  contentType,
}: DocumentFile): Promise<{ upload: DocumentUpload } | { reason: string }> {
  let raw: Buffer;
  try {
    raw = await readFile(path);
  } catch (error) {
    return { reason: `cannot be read (${describeCause(error)})` };
  }
  if (raw.length > DOCUMENT_BYTES) return { reason: `larger than ${DOCUMENT_BYTES / 1024 / 1024} MiB` };
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    if (content.trim() === '') return { reason: 'empty' };
    if (contentType.startsWith('application/') && !OPENAPI.test(content))
      return { reason: 'not an OpenAPI description' };
    return { upload: { source, content, content_type: contentType } };
  } catch {
    return { reason: 'not UTF-8 text' };
  }
}
