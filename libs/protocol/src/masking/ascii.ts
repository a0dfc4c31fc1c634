export const BACKSLASH = 0x5c;
export const SPACE = 0x20;
export const PERCENT = 0x25;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const DASH = 0x2d;
export const QUOTED = 0x27;
export const OPEN = 0x28;
export const QUOTE = 0x22;
export const OPEN_BRACKET = 0x5b;
export const OPEN_BRACE = 0x7b;
export const AT = 0x40;

const SHORT = 64;
const decoder = new TextDecoder('latin1');

export function decodeAscii(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > SHORT) return decoder.decode(bytes.subarray(from, to));
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

/** A table of the ASCII bytes that match. Other characters take several bytes. */
export function toByteTable(kind: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    byte < 0x80 && kind.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

export const IN_NAME = toByteTable(/[\w.-]/);
export const IN_WORD = toByteTable(/\w/);
export const IN_SPACE = toByteTable(/\s/);
export const IN_DIGITS = toByteTable(/\d/);
