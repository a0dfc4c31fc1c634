import type { Walk } from '../walk/walk.js';

/** Asks the codecs in order; one that throws counts as not recognising. */
export function writeByCodec(value: object, node: number, walk: Walk): boolean {
  for (const codec of walk.options.codecs) {
    let encoded: unknown;
    try {
      if (!codec.recognise(value)) continue;
      encoded = codec.encode(value);
      if (encoded === value) continue;
    } catch {
      continue;
    }
    walk.note(node, { type: 'codec', name: codec.name });
    walk.standIn(encoded, node);
    return true;
  }
  return false;
}
