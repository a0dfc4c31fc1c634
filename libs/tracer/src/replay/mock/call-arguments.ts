import type { FieldMeta, JsonValue, RecordedCall } from '@dacapo/protocol';
import type { OpenedCall } from '../../recording/replay-scope.js';
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
