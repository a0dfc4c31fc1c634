import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { FieldMeta, SpanRecord } from '../records/span.js';
import { mediaReferences, type MediaReference } from '../values/notes.js';
import { pointerSteps } from '../values/pointer.js';

/** Bytes of all media that are sent with a span. Many backends refuse spans of several MiB. */
export const SENT_MEDIA_BYTES = 512 * 1024;

/** Returns the bytes of a reference as base64; `undefined` to send the reference alone. */
export type FindBase64 = (media: MediaReference) => string | undefined;

/** The media in the messages of a model call that are sent with it, each once: those that fit, in their order. */
export function listSentMedia({ type, span_data: { meta } }: SpanRecord): MediaReference[] {
  if (type !== 'llm') return [];
  const sent = new Map<string, MediaReference>();
  let left = SENT_MEDIA_BYTES;
  for (const media of [...mediaReferences(meta?.input).values(), ...mediaReferences(meta?.output).values()]) {
    if (media.size > left || sent.has(media.id)) continue;
    left -= media.size;
    sent.set(media.id, media);
  }
  return [...sent.values()];
}

/**
 * Replaces each part of a message that refers to media by a part of the GenAI conventions: `blob` with the bytes, or `file` with the
 * SHA-256. A part is an item of a list that is no message.
 *
 * @param json a field of a span, or what is at `place` in it
 * @param meta the notes on the field
 */
export function writeMediaParts(
  json: JsonValue,
  meta: FieldMeta | undefined,
  findBase64: FindBase64,
  place = '',
): JsonValue {
  let written = json;
  for (const [pointer, media] of mediaReferences(meta)) {
    if (!pointer.startsWith(`${place}/`)) continue;
    const steps = pointerSteps(pointer.slice(place.length));
    const part = findPart(written, steps);
    if (part !== undefined) written = replaceAt(written, part, toPart(media, findBase64(media)));
  }
  return written;
}

function toPart({ id, type }: MediaReference, base64: string | undefined): JsonObject {
  const [family = ''] = type.split('/', 1);
  const modality = ['image', 'audio', 'video'].includes(family) ? family : 'document';
  const part = { modality, mime_type: type };
  return base64 === undefined
    ? { type: 'file', ...part, file_id: id }
    : { type: 'blob', ...part, content: base64 };
}

/** @returns the steps to the innermost list item on a path; `undefined` if there is none, or it is a message */
function findPart(json: JsonValue, steps: readonly string[]): readonly string[] | undefined {
  let part: readonly string[] | undefined;
  let at: JsonValue | undefined = json;
  for (const [index, step] of steps.entries()) {
    if (Array.isArray(at)) {
      at = at[Number(step)];
      part = at === undefined || (isJsonObject(at) && 'role' in at) ? undefined : steps.slice(0, index + 1);
    } else at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return undefined;
  }
  return part;
}

/** Copies what it changes. The place must exist. */
function replaceAt(json: JsonValue, [step, ...steps]: readonly string[], part: JsonObject): JsonValue {
  if (step === undefined) return part;
  if (Array.isArray(json)) return json.with(Number(step), replaceAt(json[Number(step)] ?? null, steps, part));
  return isJsonObject(json) ? { ...json, [step]: replaceAt(json[step] ?? null, steps, part) } : json;
}
