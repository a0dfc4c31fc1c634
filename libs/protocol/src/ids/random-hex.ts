const POOL_BYTES = 4096;

/** Each byte as two hex digits. */
export const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

const pool = new Uint8Array(POOL_BYTES);
let next = POOL_BYTES;

/** One byte from the platform's cryptographic source, drawn from a pool that is filled at once. */
export function randomByte(): number {
  if (next === POOL_BYTES) {
    crypto.getRandomValues(pool);
    next = 0;
  }
  return pool[next++] as number;
}

/** `byteCount` random bytes as lower-case hex. */
export function randomHex(byteCount: number): string {
  let hex = '';
  for (let i = 0; i < byteCount; i++) hex += HEX[randomByte()] as string;
  return hex;
}
