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

/** Makes bytes again from base64; `undefined` when `type` is no type of bytes. */
export function reviveBytes(type: string, base64: string): ArrayBufferView | ArrayBufferLike | undefined {
  if (type === 'Buffer') return Buffer.from(base64, 'base64');
  if (type === 'ArrayBuffer') return bufferOf(base64);
  if (type === 'SharedArrayBuffer') return sharedBufferOf(base64);
  if (type === 'DataView') return new DataView(bufferOf(base64));
  return Object.hasOwn(VIEWS, type) ? new VIEWS[type as keyof typeof VIEWS](bufferOf(base64)) : undefined;
}

function bufferOf(base64: string): ArrayBuffer {
  const bytes = Buffer.from(base64, 'base64');
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

function sharedBufferOf(base64: string): SharedArrayBuffer {
  const bytes = Buffer.from(base64, 'base64');
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}
