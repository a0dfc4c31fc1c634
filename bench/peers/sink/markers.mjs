import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

/** The body as text with one character per byte: markers are ASCII in JSON, multipart and protobuf. */
export function decodeText(body, encoding) {
  const decode = DECODERS[encoding] ?? ((bytes) => bytes);
  return decode(body).toString('latin1');
}

/** Spans whose input and output both arrived in successful requests, in one or in separate ones. */
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
