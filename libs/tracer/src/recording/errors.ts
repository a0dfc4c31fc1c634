import { TracerError } from '../errors.js';

/** Something went wrong while a call was recorded. The call itself went on as if there were no tracer. */
export class RecordingError extends TracerError {
  readonly code = 'TRACER_RECORDING';

  constructor(doing: string, cause: unknown) {
    super(
      `Failed while ${doing}: ${reasonOf(cause)}. The call was not affected. If the cause stands in code of yours, a hook or a getter, mend it there; else please report it with its stack.`,
      { cause },
    );
  }
}

/** What a hook of the application throws may be anything, and may throw again when it is read. */
function reasonOf(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause);
  } catch {
    return 'something that has no text';
  }
}
