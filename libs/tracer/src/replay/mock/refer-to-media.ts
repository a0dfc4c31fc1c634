import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerTo,
  readTypeNote,
  type RecordedValue,
} from '@dacapo/protocol';
import {
  bytesReference,
  LEAST_MEDIA,
  MEDIA_CLASSES,
  readMediaText,
  textReference,
} from '../../capture/media/read-media.js';

/**
 * A recorded value with references in the place of its media, whether it was recorded whole or with references: so the two are told to be
 * equal.
 */
export function referToMedia({ json, meta }: RecordedValue): RecordedValue {
  const types: Record<string, JsonValue> = { ...meta?.types };
  const truncated: Record<string, JsonObject> = { ...meta?.truncated };
  const refer = (value: JsonValue, pointer: string): JsonValue => {
    if (typeof value === 'string') return referText(value, pointer);
    if (Array.isArray(value)) return value.map((item, index) => refer(item, pointerTo(pointer, index)));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, item]) => [key, refer(item, pointerTo(pointer, key))]));
  };
  const referText = (text: string, pointer: string): string => {
    if (text.length < LEAST_MEDIA || truncated[pointer] !== undefined) return text;
    const written = types[pointer];
    const note = written === undefined ? undefined : readTypeNote(written);
    if (note !== undefined && note.type !== 'bytes') return text;
    if (note !== undefined && (note.isHead || !MEDIA_CLASSES.has(note.class))) return text;
    const found = note === undefined ? readMediaText(text) : { bytes: Buffer.from(text, 'base64') };
    if (found === undefined || found.bytes.length < LEAST_MEDIA) return text;
    const reference = 'shown' in found ? textReference(text, found.shown) : bytesReference(found.bytes);
    truncated[pointer] = reference.cut;
    if (note !== undefined)
      types[pointer] = isJsonObject(written)
        ? { ...written, type: 'head', of: note.class }
        : toHead(note.class);
    return reference.text;
  };
  const referred = json === undefined ? undefined : refer(json, '');
  return Object.keys(truncated).length === Object.keys(meta?.truncated ?? {}).length
    ? { json, meta }
    : { json: referred, meta: { ...meta, types, truncated } };
}

function toHead(className: string): JsonObject {
  return { type: 'head', of: className };
}
