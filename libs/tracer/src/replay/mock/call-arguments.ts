import {
  canonical,
  type CanonicalForm,
  type JsonValue,
  type RecordedDescendant,
  type RecordedValue,
  readValue,
} from '@dacapo/protocol';
import type { OpenedCall } from '../../recording/replay-scope.js';
import type { ArgumentNormalizer } from './argument-normalizer.js';
import { referToMedia } from './refer-to-media.js';

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
