import { readFile } from 'node:fs/promises';
import {
  type AddDocumentsAnswer,
  type AddDocumentsRequest,
  type DocumentUpload,
  routePath,
  ROUTES,
} from '@dacapo/protocol';
import { reasonOf } from '../errors.js';
import type { ServiceClient } from '../service/service-client.js';
import type { DocumentFile, SkippedFile } from './find-documents.js';

/** One request carries at most so much, unless a single document is larger. */
const BATCH = { documents: 50, bytes: 1024 * 1024 } as const;
const DOCUMENT_BYTES = 16 * 1024 * 1024;
/** What a description of an API says of itself. */
const OPENAPI = /(?:^|[{,\s])["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]/;

export interface UploadResult {
  readonly added: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedFile[];
}

/** Reads and sends the files batch by batch, so that a large folder never stands in memory as a whole. */
export async function uploadDocuments(
  client: ServiceClient,
  indexId: string,
  files: readonly (DocumentFile | DocumentUpload)[],
  onProgress: (done: number) => void = () => undefined,
): Promise<UploadResult> {
  const skipped: SkippedFile[] = [];
  let added = 0;
  let unchanged = 0;
  let batch: DocumentUpload[] = [];
  let batchBytes = 0;

  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    const request: AddDocumentsRequest = { documents: batch };
    const path = routePath(ROUTES.indexDocuments, { index_id: indexId });
    const answer = await client.post<AddDocumentsAnswer>(path, request, 'added', 'unchanged', 'skipped');
    skipped.push(...answer.skipped.map(({ source, reason }) => ({ path: source, reason })));
    added += answer.added;
    unchanged += answer.unchanged;
    batch = [];
    batchBytes = 0;
  };

  for (const [at, file] of files.entries()) {
    const read =
      'path' in file ? await readDocument(file) : { upload: file, bytes: Buffer.byteLength(file.content) };
    if ('reason' in read) {
      skipped.push({ path: file.source, reason: read.reason });
      continue;
    }
    if (batch.length === BATCH.documents || batchBytes + read.bytes > BATCH.bytes) await send();
    batch.push(read.upload);
    batchBytes += read.bytes;
    onProgress(at + 1);
  }
  await send();
  return { added, unchanged, skipped };
}

async function readDocument({
  path,
  source,
  contentType,
}: DocumentFile): Promise<{ upload: DocumentUpload; bytes: number } | { reason: string }> {
  let raw: Buffer;
  try {
    raw = await readFile(path);
  } catch (error) {
    return { reason: `cannot be read (${reasonOf(error)})` };
  }
  if (raw.length > DOCUMENT_BYTES) return { reason: `larger than ${DOCUMENT_BYTES / 1024 / 1024} MiB` };
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    if (content.trim() === '') return { reason: 'empty' };
    if (contentType.startsWith('application/') && !OPENAPI.test(content))
      return { reason: 'no OpenAPI description' };
    return { upload: { source, content, content_type: contentType }, bytes: raw.length };
  } catch {
    return { reason: 'not UTF-8 text' };
  }
}
