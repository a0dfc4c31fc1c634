/** 1 for bytes that are escaped in a JSON string. */
export const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 1 : 0,
);

/** How many pairs of bytes there are. */
export const PAIRS = 256 * 256;

/** Sets to 1 the pairs of which one byte is escaped, in whatever order a machine reads the two. @returns `true` */
export function fillPairs(pairs: Uint8Array): true {
  ESCAPED.forEach((isEscaped, byte) => {
    if (isEscaped === 0) pairs.set(ESCAPED, byte * 256);
    else pairs.fill(1, byte * 256, (byte + 1) * 256);
  });
  return true;
}

/** Their escapes. */
export const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from(ESCAPED, (isEscaped, byte) =>
  isEscaped === 1
    ? new Uint8Array(Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)))
    : undefined,
);
