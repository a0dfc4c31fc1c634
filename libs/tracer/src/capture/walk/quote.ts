const SHORT = 48;
const LAST_ASCII = 127;
/** 1 for the ASCII characters that stand in a JSON string as they are. */
const PLAIN = new Uint8Array(128).fill(1, 0x20);
PLAIN[0x22] = PLAIN[0x5c] = 0;

/** Whether the text is short and stands in a JSON string as it is: most strings are, and need no `JSON.stringify`. */
export function isPlainAscii(text: string): boolean {
  const length = text.length;
  if (length > SHORT) return false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > LAST_ASCII || PLAIN[code] === 0) return false;
  }
  return true;
}
