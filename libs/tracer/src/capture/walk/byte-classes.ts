/** 1 for bytes that are escaped in a JSON string. */
export const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 1 : 0,
);

/** The number of pairs of bytes. */
export const PAIRS = 256 * 256;

/** Sets pairs with an escaped byte to 1, for both byte orders. @returns `true` */
export function fillPairs(pairs: Uint8Array): true {
  ESCAPED.forEach((isEscaped, byte) => {
    if (isEscaped === 0) pairs.set(ESCAPED, byte * 256);
    else pairs.fill(1, byte * 256, (byte + 1) * 256);
  });
  return true;
}

/** The escape of each byte that needs one. */
export const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from(ESCAPED, (isEscaped, byte) =>
  isEscaped === 1
    ? new Uint8Array(Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)))
    : undefined,
);
