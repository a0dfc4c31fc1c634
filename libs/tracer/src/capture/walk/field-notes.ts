import type { FieldMeta, JsonObject, JsonValue } from '@dacapo/protocol';

type Entry =
  | { readonly kind: 'type'; readonly pointer: string; readonly note: JsonValue }
  | { readonly kind: 'cut'; readonly pointer: string; readonly note: JsonObject };

/** What one walk notes beside its text: types, and cuts. */
export class FieldNotes {
  private entries: Entry[] = [];

  /** How many there are; a place to `rewind` to. */
  get count(): number {
    return this.entries.length;
  }

  /** @returns the bytes that the note takes, about */
  addType(pointer: string, note: JsonValue): number {
    this.entries.push({ kind: 'type', pointer, note });
    return bytesOf(pointer, note);
  }

  /** @returns the bytes that the note takes, about */
  addCut(pointer: string, note: JsonObject): number {
    this.entries.push({ kind: 'cut', pointer, note });
    return bytesOf(pointer, note);
  }

  rewind(count: number): void {
    this.entries.length = count;
  }

  toMeta(): FieldMeta | undefined {
    if (this.entries.length === 0) return undefined;
    const types = new Map<string, JsonValue>();
    const truncated = new Map<string, JsonObject>();
    for (const entry of this.entries) {
      if (entry.kind === 'cut') truncated.set(entry.pointer, entry.note);
      else types.set(entry.pointer, nested(types.get(entry.pointer), entry.note));
    }
    return {
      ...(types.size > 0 && { types: Object.fromEntries(types) }),
      ...(truncated.size > 0 && { truncated: Object.fromEntries(truncated) }),
    };
  }
}

/** Two notes on one place: the second says what the first, a codec or a box, is made from. */
function nested(outer: JsonValue | undefined, inner: JsonValue): JsonValue {
  if (outer === undefined) return inner;
  if (typeof outer !== 'object' || outer === null || Array.isArray(outer)) return outer;
  return { ...outer, of: nested(outer['of'], inner) };
}

function bytesOf(pointer: string, note: JsonValue): number {
  const ofNote = typeof note === 'string' ? note.length : JSON.stringify(note).length;
  return pointer.length * 2 + ofNote + 8;
}
