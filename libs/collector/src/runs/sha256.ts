import { createHash } from 'node:crypto';

/** In lower-case hex, as hashes of what was cut are recorded. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
