import {
  type FieldMeta,
  isInside,
  MASKED_JSON,
  MASKED_OTHER,
  resolveRelative,
  type WireCut,
  type WireTypeNote,
  type WireWrapperNote,
} from '@dacapo/protocol';

type Entry =
  | { readonly kind: 'type'; readonly pointer: string; readonly note: WireTypeNote }
  | { readonly kind: 'cut'; readonly pointer: string; readonly note: WireCut }
  | { readonly kind: 'redacted'; readonly pointer: string };

/** The notes of one walk: types, cuts, and texts that were masked before they were cut. */
export class FieldNotes {
  private entries: Entry[] = [];

  /** The number of notes, to `rewind` to. */
  get count(): number {
    return this.entries.length;
  }

  /** @returns the bytes that the note takes, about */
  addType(pointer: string, note: WireTypeNote): number {
    this.entries.push({ kind: 'type', pointer, note });
    return estimateBytes(pointer, note);
  }

  /** @returns the bytes that the note takes, about */
  addCut(pointer: string, note: WireCut): number {
    this.entries.push({ kind: 'cut', pointer, note });
    return estimateBytes(pointer, note);
  }

  addRedacted(pointer: string): void {
    this.entries.push({ kind: 'redacted', pointer });
  }

  rewind(count: number): void {
    this.entries.length = count;
  }

  /** Returns the pointers of values with these types. */
  findPointers(types: ReadonlySet<string>): ReadonlySet<string> {
    return new Set(
      this.entries.flatMap((entry) =>
        entry.kind === 'type' && types.has(noteType(entry.note)) ? [entry.pointer] : [],
      ),
    );
  }

  /**
   * Removes invalid notes: all notes on masked and renamed places, notes that refer to these, and types of altered texts.
   *
   * @param structured masked places that had a value other than a string
   * @returns `false` if a remaining value cannot be restored without its note
   */
  drop(
    masked: readonly string[],
    altered: readonly string[],
    renamed: readonly string[],
    structured: readonly string[],
  ): boolean {
    const types = this.findTypes(masked, altered, structured);
    const replaced = new Set(masked);
    const moved = new Set(renamed);
    const changed = new Set(altered);
    let isWhole = true;
    this.entries = this.entries.flatMap((entry): Entry[] => {
      const { pointer } = entry;
      if (isInside(pointer, replaced)) return [];
      if (isInside(pointer, moved)) {
        isWhole = false;
        return [];
      }
      if (entry.kind !== 'type') return [entry];
      const { note } = entry;
      const target = referredTo(pointer, note);
      if (target !== undefined && (isInside(target, replaced) || isInside(target, moved))) {
        isWhole = false;
        // The notes on this value are stored at its other place.
        return [{ kind: 'type', pointer, note: { type: 'opaque', class: 'Redacted' } }];
      }
      return changed.has(pointer) && !STILL_READABLE.has(noteType(note)) ? [] : [entry];
    });
    for (const [pointer, of] of types)
      if (!isInside(pointer, moved)) this.addType(pointer, { type: 'masked', of });
    return isWhole;
  }

  /** Returns the types of values that were replaced by a token or lost their note. Without the type, the token could also stand for a string. */
  private findTypes(
    masked: readonly string[],
    altered: readonly string[],
    structured: readonly string[],
  ): Map<string, string> {
    const types = new Map(structured.map((pointer) => [pointer, MASKED_JSON]));
    const [replaced, changed] = [new Set(masked), new Set(altered)];
    for (const entry of this.entries) {
      const { pointer } = entry;
      const note = entry.kind === 'type' ? entry.note : undefined;
      if (note !== undefined && changed.has(pointer) && !STILL_READABLE.has(noteType(note)))
        types.set(pointer, noteType(note));
      const holder = replaced.size > 0 ? holderIn(pointer, replaced) : undefined;
      if (holder === undefined) continue;
      // The name of a type says everything of a value without parts; of a cut one the token is of its ends.
      const isAll = holder === pointer && typeof note === 'string' && !types.has(pointer);
      types.set(holder, isAll ? note : MASKED_OTHER);
    }
    return types;
  }

  toMeta(): FieldMeta | undefined {
    if (this.entries.length === 0) return undefined;
    const types = new Map<string, WireTypeNote>();
    const truncated = new Map<string, WireCut>();
    const redacted: string[] = [];
    for (const entry of this.entries) {
      if (entry.kind === 'redacted') redacted.push(entry.pointer);
      else if (entry.kind === 'cut') truncated.set(entry.pointer, entry.note);
      else types.set(entry.pointer, nested(types.get(entry.pointer), entry.note));
    }
    return {
      ...(types.size > 0 && { types: Object.fromEntries(types) }),
      ...(truncated.size > 0 && { truncated: Object.fromEntries(truncated) }),
      ...(redacted.length > 0 && { redacted }),
    };
  }
}

/** Types whose text can still be decoded after it was altered. */
const STILL_READABLE = new Set<string>([
  'URL',
  'URLSearchParams',
  'codec',
  'boxed',
  'toJSON',
  'class',
  'Error',
  'opaque',
]);

/** Returns the place that contains the pointer, or equals it. */
function holderIn(pointer: string, places: ReadonlySet<string>): string | undefined {
  let place = pointer;
  while (!places.has(place)) {
    if (place === '') return undefined;
    place = place.slice(0, place.lastIndexOf('/'));
  }
  return place;
}

function noteType(note: WireTypeNote): string {
  return typeof note === 'string' ? note : note.type;
}

/** Returns the pointer to which a note on a repeated object refers. */
function referredTo(pointer: string, note: WireTypeNote): string | undefined {
  return typeof note !== 'string' && note.type === 'ref' ? resolveRelative(pointer, note.to) : undefined;
}

/** Combines two notes on one place: the inner one describes the content of the outer one, a codec or a box. */
function nested(outer: WireTypeNote | undefined, inner: WireTypeNote): WireTypeNote {
  if (outer === undefined) return inner;
  return isWrapper(outer) ? { ...outer, of: nested(outer.of, inner) } : outer;
}

function isWrapper(note: WireTypeNote): note is WireWrapperNote {
  return ['codec', 'toJSON', 'boxed'].includes(noteType(note));
}

function estimateBytes(pointer: string, note: WireTypeNote | WireCut): number {
  const ofNote = typeof note === 'string' ? note.length : JSON.stringify(note).length;
  return pointer.length * 2 + ofNote + 8;
}
