import type { ByteClass } from './notes.js';

const VIEWS = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;

/** Decodes bytes from base64. A Buffer becomes a Uint8Array in a browser. @throws if the text is not base64 */
export function decodeBytes(className: ByteClass, base64: string): ArrayBufferView | ArrayBufferLike {
  const bytes = base64Bytes(base64);
  const { buffer, length } = bytes;
  switch (className) {
    case 'Buffer':
      return 'Buffer' in globalThis ? Buffer.from(buffer) : bytes;
    case 'ArrayBuffer':
      return buffer;
    case 'SharedArrayBuffer': {
      const shared = new SharedArrayBuffer(length);
      new Uint8Array(shared).set(bytes);
      return shared;
    }
    case 'DataView':
      return new DataView(buffer);
  }
  return new VIEWS[className](buffer);
}

/** @throws if the text is not base64 */
export function base64Bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
