import type { FieldMeta, JsonValue } from '@dacapo/protocol';
import type { Codec } from './codec.js';
import { noteTree } from './revive/note-tree.js';
import { Reviver } from './revive/reviver.js';

/**
 * Makes a captured value again from its JSON and its notes. Never throws.
 *
 * What was only named (functions, streams, promises) stays its label, what was cut its head, objects of a class without a
 * codec are plain data, redacted texts stay tokens. Parts without notes are not copied: they are parts of `json`.
 */
export function revive(json: JsonValue, meta: FieldMeta | undefined, codecs: readonly Codec[] = []): unknown {
  if (meta?.types === undefined) return json;
  const tree = noteTree(meta.types);
  return new Reviver(json, tree, codecs).revive(json, tree);
}
