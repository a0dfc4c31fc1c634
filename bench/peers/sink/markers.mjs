import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

/** The body as text; each byte one character, for markers are ASCII in JSON, multipart and protobuf alike. */
export function textOf(body, encoding) {
  const decode = DECODERS[encoding] ?? ((bytes) => bytes);
  return decode(body).toString('latin1');
}

/** Spans whose input and whose output were in requests that were answered with success, together or apart. */
export class Markers {
  #seen = { in: new Set(), out: new Set() };

  add(text) {
    for (const [, side, number] of text.matchAll(/marker-(in|out)-(\d+)\./g)) this.#seen[side].add(number);
  }

  get delivered() {
    return [...this.#seen.in].filter((number) => this.#seen.out.has(number)).length;
  }
}

export const inputMarker = (number) => `marker-in-${number}.`;
export const outputMarker = (number) => `marker-out-${number}.`;
