import { createHash } from 'node:crypto';
import { LIMITS } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import { type Fields, toFields } from '../readers.js';
import { describeFiles } from './describe-files.js';

/** Records a request with the bytes of its files, as the input of an open span that records it. */
export async function recordContents(span: ActiveSpan, request: unknown): Promise<void> {
  const { recorder, definition } = span.start;
  const { fields } = recorder;
  if (fields.capturer.options.metadataOnly || !fields.recordsInput(definition)) return;
  const described = await describeContents(request);
  if (span.isRecording) span.setInput(fields.captureInput(definition, [described]));
}

/** A longer file is neither read nor hashed. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;

/**
 * A request whose `Blob`s and `File`s are described with the hash of their bytes, and with the bytes where these can be stored. Reading
 * them takes nothing from the client. Streams are described without being read.
 */
export async function describeContents(request: unknown): Promise<object> {
  const blobs = new Set<Blob>();
  describeFiles(request, (blob) => {
    blobs.add(blob);
    return {};
  });
  const contents = new Map<Blob, Fields>();
  for (const blob of blobs) contents.set(blob, await readContent(blob));
  return toFields(describeFiles(request, (blob) => contents.get(blob) ?? {}));
}

async function readContent(blob: Blob): Promise<Fields> {
  if (blob.size > MAX_HASHED_BYTES) return {};
  try {
    if (blob.size <= LIMITS.mediaBytes) {
      const content = Buffer.from(await blob.arrayBuffer());
      return { sha256: createHash('sha256').update(content).digest('hex'), content };
    }
    const hash = createHash('sha256');
    const pieces: AsyncIterable<Uint8Array> = blob.stream();
    for await (const piece of pieces) hash.update(piece);
    return { sha256: hash.digest('hex') };
  } catch {
    // The file behind it is gone, or changed.
    return {};
  }
}
