import type { Codec } from '../codec.js';
import type { StandIn, Walk } from '../walk/walk.js';

/** Asks the codecs in order; one that throws counts as not recognising. */
export function writeByCodec(value: object, node: number, walk: Walk): boolean {
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
