import type { FieldMeta } from '@dacapo/protocol';

/** Prefixes the pointers of notes, for a value that is at `pointer` inside a larger one. */
export function prefixMeta(pointer: string, meta: FieldMeta | undefined): FieldMeta | undefined {
  if (meta === undefined) return undefined;
  const prefixKeys = <T>(notes: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(notes).map(([path, note]) => [pointer + path, note]));
  return {
    ...(meta.types && { types: prefixKeys(meta.types) }),
    ...(meta.truncated && { truncated: prefixKeys(meta.truncated) }),
    ...(meta.redacted && { redacted: meta.redacted.map((path) => pointer + path) }),
  };
}

/** Merges notes; `undefined` if there are none. A stream may have notes for each item. */
export function mergeMeta(notes: readonly (FieldMeta | undefined)[]): FieldMeta | undefined {
  const present = notes.filter((note) => note !== undefined);
  if (present.length <= 1) return present[0];
  const types = present.flatMap((note) => Object.entries(note.types ?? {}));
  const truncated = present.flatMap((note) => Object.entries(note.truncated ?? {}));
  const redacted = present.flatMap((note) => note.redacted ?? []);
  return {
    ...(types.length > 0 && { types: Object.fromEntries(types) }),
    ...(truncated.length > 0 && { truncated: Object.fromEntries(truncated) }),
    ...(redacted.length > 0 && { redacted }),
  };
}
