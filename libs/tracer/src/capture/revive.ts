import type { FieldMeta, JsonObject, JsonValue } from '@dacapo/protocol';
import type { Codec } from './codec.js';
import type { RecordedInstance } from './recorded-instance.js';
import { noteTree } from './revive/note-tree.js';
import { Reviver } from './revive/reviver.js';

/**
 * Makes a captured value again from its JSON and its notes. Never throws.
 *
 * What was only named (functions, streams, promises) stays its label, what was cut its head, objects of a class without a
 * codec are plain data, redacted texts stay tokens. Parts without notes are not copied: they are parts of `json`.
 */
export function revive(json: JsonValue, meta: FieldMeta | undefined, codecs: readonly Codec[] = []): unknown {
  return reviveInstances(json, meta, codecs).value;
}

/** As `revive`, and tells which objects stand for instances of classes. */
export function reviveInstances(
  json: JsonValue,
  meta: FieldMeta | undefined,
  codecs: readonly Codec[],
): { value: unknown; instances: ReadonlyMap<object, RecordedInstance> } {
  const instances = new Map<object, RecordedInstance>();
  if (meta?.types === undefined) return { value: json, instances };
  const tree = noteTree(meta.types);
  const reviver = new Reviver(json, tree, codecs);
  const value = reviver.revive(json, tree);
  for (const [pointer, note] of Object.entries(meta.types)) {
    const object = reviver.instances.get(note as JsonObject);
    if (object !== undefined) instances.set(object, describeInstance(note as JsonObject, pointer));
  }
  return { value, instances };
}

function describeInstance({ class: name, methods }: JsonObject, pointer: string): RecordedInstance {
  return { class: typeof name === 'string' ? name : '', pointer, hasMethods: methods === true };
}
