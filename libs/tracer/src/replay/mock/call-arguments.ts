import type { FieldMeta, JsonValue, RecordedCall } from '@dacapo/protocol';
import type { OpenedCall } from '../../recording/replayed-calls.js';
import { canonicalJson } from './canonical-json.js';

/** The arguments of a call, by which it is told from others. */
export interface CallArguments {
  /** Canonical JSON, redaction tokens as they are. */
  readonly json: string;
  /** Equal for equal arguments: with the hashes of what was cut. */
  readonly identity: string;
}

const NONE: CallArguments = { json: '[]', identity: '[]' };

/** `undefined` when they were not recorded: then nothing tells the call from others of its function. */
export function argumentsOfRecorded({ input, meta }: RecordedCall): CallArguments | undefined {
  if (input !== undefined) return toArguments(input, meta?.input);
  return meta?.replayable === false ? undefined : NONE;
}

/** `undefined` when they are not recorded. */
export function argumentsOfOpened({ input, start }: OpenedCall): CallArguments | undefined {
  if (input !== undefined) return toArguments(JSON.parse(input.json) as JsonValue, input.meta);
  return start.definition.captureInput === true && start.recorder.fields.capturesInput ? NONE : undefined;
}

function toArguments(input: JsonValue, meta: FieldMeta | undefined): CallArguments {
  const json = canonicalJson(input);
  return { json, identity: meta?.truncated === undefined ? json : json + canonicalJson(meta.truncated) };
}

/** Of several texts the index of the one that shares most of its beginning and end with `text`; -1 when there is none. */
export function nearest(text: string, others: readonly string[]): number {
  let best = -1;
  let most = -1;
  for (const [index, other] of others.entries()) {
    const share = sharedLength(text, other) / Math.max(text.length, other.length, 1);
    if (share <= most) continue;
    best = index;
    most = share;
  }
  return best;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return head + tail;
}
