import { TracerError } from '../errors.js';

/** A trace that was asked for holds no finished call of the key. */
export class CallNotFoundError extends TracerError {
  readonly code = 'TRACER_CALL_NOT_FOUND';

  constructor(traceId: string, key: string) {
    super(
      `Trace ${traceId} holds no finished call of ${JSON.stringify(key)}. Check the trace id, the key, and that the account is the one that recorded it.`,
    );
  }
}

/** What was recorded of a call is not enough to make it again. */
export class CallNotReplayableError extends TracerError {
  readonly code = 'TRACER_CALL_NOT_REPLAYABLE';

  constructor(spanId: string) {
    super(
      `The input of span ${spanId} was not recorded whole, or holds what cannot be made again (its meta says what). Record it with captureInput on, a higher capture.maxFieldBytes, or a codec for its classes.`,
    );
  }
}
