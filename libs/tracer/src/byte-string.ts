declare const isUtf8: unique symbol;

/**
 * Text as a string with one character per byte of its UTF-8. ASCII text is unchanged.
 *
 * `length` is the number of bytes, and `buffer.write(bytes, at, 'latin1')` writes them. For other text than ASCII, this costs a fraction of
 * decoding it and encoding it again.
 */
export type ByteString = string & { readonly [isUtf8]: true };

export function encodeText(text: string): ByteString {
  return (
    Buffer.byteLength(text) === text.length ? text : Buffer.from(text, 'utf8').toString('latin1')
  ) as ByteString;
}

export function decodeText(bytes: ByteString): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Encodes a value that has a JSON form. */
export function encodeJson(value: unknown): ByteString {
  return encodeText(JSON.stringify(value));
}
