import { createHash } from 'node:crypto';

/** In lower-case hex, like the recorded hashes of cut values. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
