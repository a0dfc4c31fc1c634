const POOL_BYTES = 4096;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const pool = new Uint8Array(POOL_BYTES);
let next = POOL_BYTES;

/** `byteCount` random bytes from the platform's cryptographic source, as lower-case hex. */
export function randomHex(byteCount: number): string {
  if (next + byteCount > POOL_BYTES) {
    crypto.getRandomValues(pool);
    next = 0;
  }
  let hex = '';
  for (const end = next + byteCount; next < end; next++) hex += HEX[pool[next] as number] as string;
  return hex;
}
