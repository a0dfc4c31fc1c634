/** What in a string calls for a closer look at what it may hide. `name`: a quote that ends a name, as in JSON in a string. */
export const MARKS = { name: 1, at: 2, equals: 4, capitalB: 8 } as const;

/** The byte is a digit. They are counted: few are no card number. */
export const DIGIT = 16;

/** The byte is escaped in a JSON string. */
export const ESCAPED = 128;

/** 0 for bytes of UTF-8 that stand in a JSON string as they are and mean nothing; else bits of the two above. */
export const BYTE_CLASS = byteClasses();

/** The escapes of those bytes that have one. */
export const ESCAPES: readonly (Uint8Array | undefined)[] = escapes();

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256).fill(ESCAPED, 0, 0x20);
  classes.fill(DIGIT, 0x30, 0x3a);
  classes[code('\\')] = ESCAPED;
  classes[code('"')] = ESCAPED;
  classes[code('@')] = MARKS.at;
  classes[code('=')] = MARKS.equals;
  classes[code('B')] = MARKS.capitalB;
  return classes;
}

function escapes(): (Uint8Array | undefined)[] {
  return Array.from(BYTE_CLASS, (kind, byte) =>
    kind === ESCAPED
      ? Uint8Array.from(Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)))
      : undefined,
  );
}

function code(char = ''): number {
  return char.charCodeAt(0);
}
