declare const isUtf8: unique symbol;

/**
 * Text as the bytes of its UTF-8, one character each; of ASCII that is the text itself.
 *
 * `buffer.write(bytes, at, 'latin1')` puts it on the wire and `length` counts it. Text beyond ASCII costs a fraction
 * this way of what it does to decode it here and encode it there.
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

/** The JSON of a value that has one. */
export function encodeJson(value: unknown): ByteString {
  return encodeText(JSON.stringify(value));
}
