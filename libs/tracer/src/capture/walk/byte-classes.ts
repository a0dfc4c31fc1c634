import { TOKEN_SIGNS } from '@dacapo/protocol';

/**
 * What in a string calls for a closer look at what it may hide. `colon`, `equals`: what is between a name and its value.
 * `joint`: what stands between the parts of a provider's key, or begins one that has no parts. `less`: what begins an
 * element of XML.
 */
export const MARKS = { colon: 1, at: 2, equals: 4, capitalB: 8, joint: 32, less: 64 } as const;

/** The byte is a digit. They are counted: few are no card number. */
export const DIGIT = 16;

/** The byte is escaped in a JSON string. */
export const ESCAPED = 128;

/** What is known of a whole string. `token`: something in it begins like a provider's key. `unread`: nobody looked. */
export const FINDINGS = { token: 256, longWithDigit: 512, unread: 1024 } as const;

/** 0 for bytes of UTF-8 that stand in a JSON string as they are and mean nothing; else bits of the three above. */
export const BYTE_CLASS = byteClasses();

/** How many pairs of bytes there are. */
export const PAIRS = 256 * 256;

/** Sets to 0 the pairs of which neither byte has a class, in whatever order a machine reads the two. @returns `true` */
export function fillPairs(pairs: Uint8Array): true {
  BYTE_CLASS.forEach((kind, byte) => {
    if (kind === 0) pairs.set(BYTE_CLASS, byte * 256);
    else pairs.fill(1, byte * 256, (byte + 1) * 256);
  });
  return true;
}

/** The escapes of those bytes that have one. */
export const ESCAPES: readonly (Uint8Array | undefined)[] = escapes();

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256).fill(ESCAPED, 0, 0x20);
  classes.fill(DIGIT, 0x30, 0x3a);
  classes[code('\\')] = ESCAPED;
  classes[code('"')] = ESCAPED;
  classes[code(':')] = MARKS.colon;
  classes[code('@')] = MARKS.at;
  classes[code('=')] = MARKS.equals;
  classes[code('B')] = MARKS.capitalB;
  classes[code('<')] = MARKS.less;
  for (const char of TOKEN_SIGNS) classes[code(char)] = MARKS.joint;
  return classes;
}

function escapes(): (Uint8Array | undefined)[] {
  return Array.from(BYTE_CLASS, (kind, byte) =>
    kind === ESCAPED
      ? new Uint8Array(Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)))
      : undefined,
  );
}

function code(char = ''): number {
  return char.charCodeAt(0);
}
