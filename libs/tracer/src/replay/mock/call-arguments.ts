import { canonical, type RecordedCall, type RecordedValue, readValue } from '@dacapo/protocol';
import type { JsonValue } from '@dacapo/protocol';
import type { OpenedCall } from '../../recording/replay-scope.js';

/** The arguments of a call, by which it is told from others. */
export interface CallArguments {
  /** Their canonical form, for people: JSON where they are JSON, redaction tokens as they are. */
  readonly text: string;
  /**
   * Equal for equal arguments, types included; what was cut by the hash of the whole, what is only named by its name.
   * `undefined`: something was cut without a hash, and nothing tells them from others.
   */
  readonly identity: string | undefined;
}

const NONE: CallArguments = { text: '[]', identity: '[]' };
const TOO_LARGE: CallArguments = { text: '[…]', identity: undefined };

/** `undefined` when they were not recorded: then nothing tells the call from others of its function. */
export function argumentsOfRecorded({ input, meta }: RecordedCall): CallArguments | undefined {
  if (input !== undefined) return toArguments({ json: input, meta: meta?.input });
  return meta?.replayable === false ? undefined : NONE;
}

/** `undefined` when they are not recorded. */
export function argumentsOfOpened({ input, start }: OpenedCall): CallArguments | undefined {
  if (input !== undefined)
    return toArguments({ json: JSON.parse(input.json) as JsonValue, meta: input.meta });
  return start.definition.captureInput === true && start.recorder.fields.capturesInput ? NONE : undefined;
}

function toArguments(recorded: RecordedValue): CallArguments {
  const form = canonical(readValue(recorded));
  if (form === undefined) return TOO_LARGE;
  return { text: form.text, identity: form.gaps.has('cut') ? undefined : form.text };
}
