import type { ByteClass } from '@dacapo/protocol';
import { types } from 'node:util';
import { bytesReference, MEDIA_CLASSES } from '../media/read-media.js';
import type { Walk } from '../walk/walk.js';
import { extended, describeExtension } from './extension.js';

/** Bytes to keep at each end of cut bytes: a multiple of three, the group size of base64. */
const END_BYTES = 48;
/** Base64 needs four characters for three bytes. */
const BASE64_GROWTH = 1.34;
const SHORTEST_TEXT = 8;
const LOOKED_AT = 256;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Writes Buffers, typed arrays, DataViews and ArrayBuffers as base64, or only both ends if they are large. */
export function writeBinary(value: object, node: number, walk: Walk): boolean {
  if (!types.isArrayBufferView(value) && !types.isAnyArrayBuffer(value)) return false;
  const name = binaryName(value);
  const bytes = toBuffer(value);
  const extension = describeExtension(value, name, walk);
  const isReadable = isText(bytes);
  const media = MEDIA_CLASSES.has(name) ? walk.takeMedia(bytes, isReadable) : undefined;
  if (media !== undefined) {
    walk.note(node, { type: 'head', of: name, ...extension });
    const { text, cut } = bytesReference(bytes, media);
    walk.refer(node, cut);
    walk.json(`"${text}"`);
    return true;
  }
  if (isReadable) walk.meetsTextBytes();
  if (bytes.length <= walk.options.maxBinaryBytes && bytes.length * BASE64_GROWTH < walk.room) {
    walk.note(node, extended(name, extension));
    walk.json(`"${bytes.toString('base64')}"`);
  } else {
    const { length } = bytes;
    const isSecret = isReadable && walk.isSecretInside(bytes);
    // A part of a secret would not be found, and a part of bytes cannot be masked.
    const kept = isSecret ? 0 : Math.min(END_BYTES, length);
    const tail = Math.min(kept, length - kept);
    walk.note(node, { type: 'head', of: name, ...extension });
    walk.cut(node, { bytes: length, kept, ...(tail > 0 && { tail }), ...walk.hashBytes(bytes, isSecret) });
    walk.json(`"${bytes.toString('base64', 0, kept)}${bytes.toString('base64', length - tail)}"`);
  }
  return true;
}

/** Detects a text from its first bytes. */
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

function toBuffer(value: NodeJS.ArrayBufferView | ArrayBufferLike): Buffer {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Buffer.from(value);
}
