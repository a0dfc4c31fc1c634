import { isJsonObject, type JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';
import { mediaReferences, type MediaReference } from './notes.js';
import { pointerSteps } from './pointer.js';
import type { RecordedValue } from './read-value.js';

/**
 * Replaces media references with their media, which restores the recorded value. References without bytes stay.
 *
 * @param findBase64 returns the bytes of a reference as base64; `undefined` if they are not there
 */
export function restoreMedia(
  { json, meta }: RecordedValue,
  findBase64: (media: MediaReference) => string | undefined,
): RecordedValue {
  let restored = json;
  const truncated = { ...meta?.truncated };
  const types = { ...meta?.types };
  for (const [pointer, media] of mediaReferences(meta)) {
    const base64 = findBase64(media);
    if (base64 === undefined || restored === undefined) continue;
    restored = replaceText(restored, pointerSteps(pointer), (text) => dataUrlHead(text) + base64);
    Reflect.deleteProperty(truncated, pointer);
    const note = types[pointer];
    if (note !== undefined) types[pointer] = wholeNote(note);
  }
  const notes: FieldMeta = { ...meta, types, truncated };
  for (const name of ['types', 'truncated'] as const)
    if (Object.keys(notes[name] ?? {}).length === 0) Reflect.deleteProperty(notes, name);
  return { json: restored, meta: Object.keys(notes).length > 0 ? notes : undefined };
}

function dataUrlHead(text: string): string {
  return text.startsWith('data:') ? text.slice(0, text.indexOf(',') + 1) : '';
}

/** The note on the head of bytes, as it is on all of them. */
function wholeNote(note: JsonValue): JsonValue {
  if (!isJsonObject(note)) return note;
  const { type, of, ...rest } = note;
  if (type !== 'head') return of === undefined ? note : { ...note, of: wholeNote(of) };
  return Object.keys(rest).length === 0 && of !== undefined ? of : { ...rest, type: of ?? null };
}

/** Copies what it changes. */
function replaceText(
  json: JsonValue,
  [step, ...steps]: readonly string[],
  replace: (text: string) => string,
): JsonValue {
  if (step === undefined) return typeof json === 'string' ? replace(json) : json;
  if (Array.isArray(json))
    return json.map((item, index) => (String(index) === step ? replaceText(item, steps, replace) : item));
  if (!isJsonObject(json) || !Object.hasOwn(json, step)) return json;
  return { ...json, [step]: replaceText(json[step] ?? null, steps, replace) };
}
