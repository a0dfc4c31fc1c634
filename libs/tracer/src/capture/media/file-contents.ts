import type { Blob } from 'node:buffer';
import { createHash } from 'node:crypto';
import { LIMITS } from '@dacapo/protocol';

/** The bytes of a file and their hash. Both are absent if the file is too large or cannot be read. */
interface FileContent {
  readonly sha256?: string;
  /** Absent if the file is too large to store. */
  readonly content?: Buffer;
}

/** A longer file is neither read nor hashed. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;

/** The bytes of a `Blob` never change. */
const contents = new WeakMap<object, FileContent>();

/** Returns the content of a file; `undefined` if it was not read yet. */
export function findContent(blob: object): FileContent | undefined {
  return contents.get(blob);
}

/** Reads a file once. Reading a `Blob` does not consume it. Never rejects. */
export async function readContent(blob: Blob): Promise<FileContent> {
  const known = contents.get(blob);
  if (known !== undefined) return known;
  const content = await readBytes(blob);
  contents.set(blob, content);
  return content;
}

/** Releases the bytes of a file. */
export function forgetContent(blob: object): void {
  contents.delete(blob);
}

async function readBytes(blob: Blob): Promise<FileContent> {
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
    // The underlying file was deleted or changed.
    return {};
  }
}
