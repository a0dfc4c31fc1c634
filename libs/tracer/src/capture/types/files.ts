import { Blob, File } from 'node:buffer';
import { types } from 'node:util';
import { toMembers } from '@dacapo/protocol';
import type { Codec } from '../../options/capture-options.js';
import { findContent } from '../media/file-contents.js';
import type { Walk } from '../walk/walk.js';

/** Codecs that restore files from their records. */
const FILE_CODECS: readonly Codec[] = [
  {
    name: 'File',
    recognise: (value) => Object.getPrototypeOf(value) === File.prototype,
    encode: describeFile,
    decode: (encoded) => {
      const { name, type, lastModified } = toMembers(encoded);
      const options = { type: String(type), lastModified: Number(lastModified) };
      return new File(readParts(encoded), String(name), options);
    },
  },
  {
    name: 'Blob',
    recognise: (value) => Object.getPrototypeOf(value) === Blob.prototype,
    encode: describeFile,
    decode: (encoded) => new Blob(readParts(encoded), { type: String(toMembers(encoded)['type']) }),
  },
];

/** Codecs that restore recorded values, the application's first. */
export function withFileCodecs(codecs: readonly Codec[] = []): readonly Codec[] {
  return [...codecs, ...FILE_CODECS];
}

/**
 * Writes a `Blob` or a `File`: its name, type and size, and its bytes if they are already read, which is asynchronous. Without its bytes
 * it cannot be restored.
 */
export function writeFile(value: object, node: number, walk: Walk): boolean {
  if (types.isProxy(value) || !(value instanceof Blob)) return false;
  const codec = FILE_CODECS.find((one) => one.recognise(value));
  if (codec === undefined) return false;
  const known = findContent(value);
  // Records cannot contain its own properties.
  const isPlain = Object.keys(value).length === 0;
  if (known?.content !== undefined && isPlain) {
    walk.standIn({ value: describeFile(value), note: { type: 'codec', name: codec.name } }, node);
    return true;
  }
  walk.note(node, { type: 'opaque', class: codec.name });
  if (known === undefined && isPlain) walk.notRead(node, value);
  else walk.lost();
  walk.record(Object.entries(describeFile(value)), undefined, node);
  return true;
}

function describeFile(value: object): object {
  if (!(value instanceof Blob)) return {};
  const { type, size } = value;
  const content = findContent(value);
  if (!(value instanceof File)) return { type, size, ...content };
  const { name, lastModified } = value;
  return { name, type, size, lastModified, ...content };
}

/** @throws TypeError when the record has no bytes */
function readParts(encoded: unknown): Buffer[] {
  const { content } = toMembers(encoded);
  if (!Buffer.isBuffer(content)) throw new TypeError('The bytes of the file are not recorded');
  return [content];
}
