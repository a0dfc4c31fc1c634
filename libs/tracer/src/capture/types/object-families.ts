import type { Codec } from '../../options/capture-options.js';
import type { StandIn, ValueWriter, Walk } from '../walk/walk.js';
import { writeBinary } from './binary.js';
import { writeClassInstance } from './class-instances.js';
import { writeCollection } from './collections.js';
import { writeError } from './errors.js';
import { writeFile } from './files.js';
import { writeOpaque } from './opaque.js';
import { writeTextType } from './text-types.js';

/** Families of objects that are neither plain nor arrays. The first matching family writes the object. */
export const OBJECT_FAMILIES: readonly ValueWriter[] = [
  writeByCodec,
  writeTextType,
  writeBinary,
  writeCollection,
  writeError,
  writeFile,
  writeOpaque,
  writeClassInstance,
];

/** Tries the codecs in order. A codec that throws counts as not matching. */
function writeByCodec(value: object, node: number, walk: Walk): boolean {
  const { codecs } = walk.options;
  const encoded = codecs.length > 0 && walk.findStandIn(value, 'codec', () => encode(value, codecs));
  if (!encoded) return false;
  walk.standIn(encoded, node);
  return true;
}

function encode(value: object, codecs: readonly Codec[]): StandIn | undefined {
  for (const codec of codecs) {
    try {
      if (!codec.recognise(value)) continue;
      const encoded = codec.encode(value);
      if (encoded !== value) return { value: encoded, note: { type: 'codec', name: codec.name } };
    } catch {
      continue;
    }
  }
  return undefined;
}
