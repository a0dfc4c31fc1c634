import { diffNodes } from '@dacapo/evaluation';
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
  type ValueNode,
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

/** The arguments that distinguish a call from others. */
export interface CallArguments {
  /** Their canonical form for people: JSON if possible, with redaction tokens. */
  readonly text: string;
  /**
   * Equal for equal arguments and types. Cut values count by the hash of the whole, and values recorded by name count by name.
   * `undefined`: something was cut without a hash, so they cannot be compared.
   */
  readonly identity: string | undefined;
  /** The identity without the parts that may differ. Absent: no part may differ, or the rest has no identity. */
  readonly normalized?: string | undefined;
  /** Whether `normalized` matches any secret in place of the masked ones. */
  readonly isAnySecret?: boolean;
  /** For finding where they differ from others. */
  readonly node?: ValueNode;
}

/** Whether the known arguments of two calls are equal, except for parts that may differ. */
export function areAlike(a: CallArguments | undefined, b: CallArguments | undefined): boolean {
  if (a?.normalized === undefined || b?.normalized === undefined) return a?.identity === b?.identity;
  return a.normalized === b.normalized;
}

/** `undefined` if they were not recorded: then the call cannot be distinguished from others of its function. */
export function recordedCallArguments(
  { input, meta, trace_function_key: key }: RecordedDescendant,
  normalizer: ArgumentNormalizer,
): CallArguments | undefined {
  if (input !== undefined) return toArguments({ json: input, meta: meta?.input }, key, normalizer);
  return meta?.replayable === false ? undefined : toArguments({ json: [] }, key, normalizer);
}

/** `undefined` if they are not recorded. */
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
  const identity = toIdentity(form);
  const normalized = prune && toIdentity(canonical(prune(node)));
  const isAnySecret = normalizer.matchesAnySecret && form?.gaps.has('masked') === true;
  return {
    node,
    text: form?.text ?? '[…]',
    identity,
    ...(prune && { normalized }),
    ...(isAnySecret && {
      isAnySecret,
      normalized: (normalized ?? identity)?.replaceAll(TOKENS, '[redacted]'),
    }),
  };
}

/** Masked secrets in a canonical form. */
const TOKENS = /\[redacted:[0-9a-f]{8,}\]/g;

/** Where the arguments of a call differ from recorded ones: `$[0].sentAt`. Empty if this is unknown. */
export function findDifferingPaths(recorded: CallArguments, made: CallArguments, limit = 3): string[] {
  if (recorded.node === undefined || made.node === undefined) return [];
  return diffNodes(recorded.node, made.node, { limit }).map(({ path }) => path);
}

/** `undefined` if it is too large or was cut. */
function toIdentity(form: CanonicalForm | undefined): string | undefined {
  return form === undefined || form.gaps.has('cut') ? undefined : form.text;
}

/**
 * A recorded value with references instead of media, whether it was recorded with media or with references, so that both are
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
