import {
  canonical,
  type CanonicalForm,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerTo,
  readTypeNote,
  readValue,
  type RecordedDescendant,
  type RecordedValue,
} from '@dacapo/protocol';
import {
  bytesReference,
  LEAST_MEDIA,
  MEDIA_CLASSES,
  readMediaText,
  textReference,
} from '../../capture/media/read-media.js';
import type { OpenedCall } from '../../recording/replay-scope.js';
import type { ArgumentNormalizer } from './argument-normalizer.js';

/** The arguments of a call, by which it is told from others. */
export interface CallArguments {
  /** Their canonical form, for people: JSON where they are JSON, redaction tokens as they are. */
  readonly text: string;
  /**
   * Equal for equal arguments, types included; what was cut by the hash of the whole, what is only named by its name.
   * `undefined`: something was cut without a hash, and nothing tells them from others.
   */
  readonly identity: string | undefined;
  /** The identity of what is left without the parts that may differ. Absent: no part may, or that has no identity. */
  readonly normalized?: string | undefined;
}

/** Whether nothing is known that tells the arguments of two calls apart, but for the parts that may differ. */
export function areAlike(a: CallArguments | undefined, b: CallArguments | undefined): boolean {
  if (a?.normalized === undefined || b?.normalized === undefined) return a?.identity === b?.identity;
  return a.normalized === b.normalized;
}

/** `undefined` when they were not recorded: then nothing tells the call from others of its function. */
export function recordedCallArguments(
  { input, meta, trace_function_key: key }: RecordedDescendant,
  normalizer: ArgumentNormalizer,
): CallArguments | undefined {
  if (input !== undefined) return toArguments({ json: input, meta: meta?.input }, key, normalizer);
  return meta?.replayable === false ? undefined : toArguments({ json: [] }, key, normalizer);
}

/** `undefined` when they are not recorded. */
export function openedCallArguments(
  { input, start }: OpenedCall,
  normalizer: ArgumentNormalizer,
): CallArguments | undefined {
  const { key, captureInput } = start.definition;
  if (input !== undefined)
    return toArguments({ json: JSON.parse(input.json) as JsonValue, meta: input.meta }, key, normalizer);
  const hasNone = captureInput === true && start.recorder.fields.capturesInput;
  return hasNone ? toArguments({ json: [] }, key, normalizer) : undefined;
}

function toArguments(recorded: RecordedValue, key: string, normalizer: ArgumentNormalizer): CallArguments {
  const node = readValue(referToMedia(recorded));
  const form = canonical(node);
  const prune = normalizer.findPruning(key);
  return {
    text: form?.text ?? '[…]',
    identity: toIdentity(form),
    ...(prune && { normalized: toIdentity(canonical(prune(node))) }),
  };
}

/** `undefined`: it is too large, or was cut. */
function toIdentity(form: CanonicalForm | undefined): string | undefined {
  return form === undefined || form.gaps.has('cut') ? undefined : form.text;
}

/**
 * A recorded value with references in the place of its media, whether it was recorded whole or with references: so the two are told to be
 * equal.
 */
function referToMedia({ json, meta }: RecordedValue): RecordedValue {
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
