import { TracerError } from '../errors.js';

/** Something went wrong while a call was recorded. The call itself went on as if there were no tracer. */
export class RecordingError extends TracerError {
  readonly code = 'TRACER_RECORDING';

  constructor(doing: string, cause: unknown) {
    super(
      `Failed while ${doing}: ${readReason(cause)}. The call was not affected. If the stack points into your code (a hook or a getter), fix it there. Otherwise please report it.`,
      { cause },
    );
  }
}

/** A note on a span or a trace was given what it does not take. The note is lost; the call went on. */
export class InvalidNoteError extends TracerError {
  readonly code = 'TRACER_INVALID_NOTE';

  /**
   * @param method the one that was called, such as `setSessionId`
   * @param found what it does not take, such as `a number`; never what it holds
   */
  constructor(
    readonly method: string,
    found: string,
  ) {
    super(`${method} was given ${found}, so nothing was noted. ${CURES[method] ?? 'Give it an object'}.`);
  }
}

const CURES: Record<string, string> = {
  setSessionId:
    'Give it a text that is not blank, such as String(id); leave the call out where there is no session',
  setUserId:
    'Give it a text that is not blank, of at most 512 characters, such as String(user.id); leave the call out where nobody is signed in',
  setTags:
    'Give it a list of texts, such as ["beta", "checkout"]: at most 50 for a trace, each of at most 200 characters and not blank',
  setLevel: 'Give it debug, info, warn or error',
  end: 'Write it like end({ output }) or end({ error })',
  setPrompt: 'Give it a text; JSON.stringify(messages) makes one of messages',
  addUsage: "Write it like addUsage({ model: 'm', inputTokens: 12, outputTokens: 3 })",
  score: "Write it like score({ traceId }, { name: 'helpful', value: true })",
};

/** A value as an error may tell it: by its kind. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value.trim() === '' ? 'a blank text' : 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What a hook of the application throws may be anything, and may throw again when it is read. */
function readReason(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause);
  } catch {
    return 'something that has no text';
  }
}
