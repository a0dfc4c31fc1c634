import type { ByteClass } from '@dacapo/protocol';
import { types } from 'node:util';
import type { Walk } from '../walk/walk.js';
import { extended, extensionOf } from './extension.js';

const HEAD_BYTES = 48;
/** Base64 writes four characters for three bytes. */
const BASE64_GROWTH = 1.34;
const SHORTEST_TEXT = 8;
const LOOKED_AT = 256;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Buffers, typed arrays, DataViews and ArrayBuffers: their bytes in base64, or a head of them when there are many. */
export function writeBinary(value: object, node: number, walk: Walk): boolean {
  if (!types.isArrayBufferView(value) && !types.isAnyArrayBuffer(value)) return false;
  const name = binaryName(value);
  const bytes = bytesOf(value);
  const extension = extensionOf(value, name, walk);
  const isReadable = isText(bytes);
  if (isReadable) walk.meetsTextBytes();
  if (bytes.length <= walk.options.maxBinaryBytes && bytes.length * BASE64_GROWTH < walk.room) {
    walk.note(node, extended(name, extension));
    walk.json(`"${bytes.toString('base64')}"`);
  } else {
    walk.note(node, { type: 'head', of: name, ...extension });
    walk.cut(node, { bytes: bytes.length, kept: HEAD_BYTES, ...walk.hashOfBytes(bytes, isReadable) });
    walk.json(`"${bytes.toString('base64', 0, HEAD_BYTES)}"`);
  }
  return true;
}

/** As far as its beginning tells. */
function isText(bytes: Buffer): boolean {
  const { length } = bytes;
  if (length < SHORTEST_TEXT) return false;
  for (let at = 0; at < length && at < LOOKED_AT; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < TAB || (byte > CARRIAGE_RETURN && byte < SPACE)) return false;
  }
  return true;
}

function binaryName(value: NodeJS.ArrayBufferView | ArrayBufferLike): ByteClass {
  if (Buffer.isBuffer(value)) return 'Buffer';
  if (types.isDataView(value)) return 'DataView';
  if (types.isSharedArrayBuffer(value)) return 'SharedArrayBuffer';
  if (types.isAnyArrayBuffer(value)) return 'ArrayBuffer';
  return typedArrayName(value);
}

const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;

function typedArrayName(value: object): ByteClass {
  return Reflect.get(typedArrayPrototype, Symbol.toStringTag, value) as ByteClass;
}

function bytesOf(value: NodeJS.ArrayBufferView | ArrayBufferLike): Buffer {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Buffer.from(value);
}
