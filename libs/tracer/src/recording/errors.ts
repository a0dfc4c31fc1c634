import { TracerError } from '../errors.js';

/** Recording a call failed. The call itself was not affected. */
export class RecordingError extends TracerError {
  readonly code = 'TRACER_RECORDING';

  constructor(doing: string, cause: unknown) {
    super(
      `Failed while ${doing}: ${readReason(cause)}. The call was not affected. If the stack points into your code (a hook or a getter), fix it there. Otherwise please report it.`,
      { cause },
    );
  }
}

/** A note on a span or trace has an invalid value. The note is dropped; the call was not affected. */
export class InvalidNoteError extends TracerError {
  readonly code = 'TRACER_INVALID_NOTE';

  /**
   * @param method the called method, such as `setSessionId`
   * @param found the kind of the invalid value, such as `a number`; never the value itself
   */
  constructor(
    readonly method: string,
    found: string,
  ) {
    super(`${method} was given ${found}, so nothing was recorded. ${CURES[method] ?? 'Pass an object'}.`);
  }
}

const CURES: Record<string, string> = {
  setSessionId: 'Pass a text that is not blank, such as String(id), or do not call it without a session',
  setUserId:
    'Pass a text of 1 to 512 characters that is not blank, such as String(user.id), or do not call it without a user',
  setTags:
    'Pass a list of texts that are not blank, such as ["beta", "checkout"], at most 50 per trace with at most 200 characters each',
  setLevel: 'Pass debug, info, warn or error',
  end: 'Write it like end({ output }) or end({ error })',
  setPrompt: 'Pass a text, such as JSON.stringify(messages)',
  addUsage: "Write it like addUsage({ model: 'm', inputTokens: 12, outputTokens: 3 })",
  score: "Write it like score({ traceId }, { name: 'helpful', value: true })",
};

/** Describes a value for an error message by its kind. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value.trim() === '' ? 'a blank text' : 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A hook of the application may throw any value, and reading that value may throw too. */
function readReason(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause);
  } catch {
    return 'a value that cannot be printed';
  }
}
