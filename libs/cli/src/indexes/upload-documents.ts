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
const DOCUMENT_BYTES = 4 * 1024 * 1024;

export interface UploadResult {
  readonly added: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedFile[];
}

/** Reads and sends the files batch by batch, so that a large folder never stands in memory as a whole. */
export async function uploadDocuments(
  client: ServiceClient,
  indexId: string,
  files: readonly DocumentFile[],
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
    const answer = await client.post<AddDocumentsAnswer>(path, request, 'added', 'unchanged');
    added += answer.added;
    unchanged += answer.unchanged;
    batch = [];
    batchBytes = 0;
  };

  for (const file of files) {
    const read = await readDocument(file);
    if ('reason' in read) {
      skipped.push({ path: file.source, reason: read.reason });
      continue;
    }
    if (batch.length === BATCH.documents || batchBytes + read.bytes > BATCH.bytes) await send();
    batch.push({ source: file.source, content: read.content, content_type: file.contentType });
    batchBytes += read.bytes;
  }
  await send();
  return { added, unchanged, skipped };
}

async function readDocument({
  path,
}: DocumentFile): Promise<{ content: string; bytes: number } | { reason: string }> {
  let raw: Buffer;
  try {
    raw = await readFile(path);
  } catch (error) {
    return { reason: `cannot be read (${reasonOf(error)})` };
  }
  if (raw.length > DOCUMENT_BYTES) return { reason: `larger than ${DOCUMENT_BYTES / 1024 / 1024} MiB` };
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    return content.trim() === '' ? { reason: 'empty' } : { content, bytes: raw.length };
  } catch {
    return { reason: 'not UTF-8 text' };
  }
}
