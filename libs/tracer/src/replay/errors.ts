import { TracerError } from '../errors.js';
import type { WhyNotReplayable } from './why-not-replayable.js';

/** A trace that was asked for holds no finished call of the key. */
export class CallNotFoundError extends TracerError {
  readonly code = 'TRACER_CALL_NOT_FOUND';

  constructor(traceId: string, key: string) {
    super(
      `Trace ${traceId} holds no finished call of ${JSON.stringify(key)}. Check the trace id, the key, and that the account is the one that recorded it.`,
    );
  }
}

/** The recorded call, or the example of a dataset, was deleted after the run selected it. */
export class SourceDeletedError extends TracerError {
  readonly code = 'TRACER_SOURCE_DELETED';

  constructor() {
    super(
      'Not replayed: its source was deleted after the run selected it. Start a new run, which selects what is still stored.',
    );
  }
}

/** A replayed call was not done in time. What it began may still go on. */
export class ReplayTimeoutError extends TracerError {
  readonly code = 'TRACER_REPLAY_TIMEOUT';

  constructor(key: string, timeoutMs: number) {
    super(
      `The replayed call of ${JSON.stringify(key)} was not done after ${timeoutMs} ms. If it only takes longer, raise timeoutMs; else find what it waits for: a stream without an end, a lock, a service that does not answer.`,
    );
  }
}

/** An evaluator had not judged an item in time. What it began may still go on. */
export class EvaluatorTimeoutError extends TracerError {
  readonly code = 'TRACER_EVALUATOR_TIMEOUT';

  /** @param evaluator its name */
  constructor(evaluator: string, timeoutMs: number) {
    super(
      `The evaluator ${evaluator} had not judged an item after ${timeoutMs} ms. If it only takes longer, raise timeoutMs; else find what it waits for. It can stop by the signal that it gets.`,
    );
  }
}

/** More calls were recorded below a call than a replay with `mock` takes into memory. */
export class RecordingTooLargeError extends TracerError {
  readonly code = 'TRACER_RECORDING_TOO_LARGE';

  constructor(spanId: string, max: number) {
    super(
      `More than ${max} calls were recorded below span ${spanId}. Replay it with mock: 'none', or replay a key that stands deeper in the trace.`,
    );
  }
}

const DIFFERENT_ARGUMENTS =
  'Give what varies from call to call a captureInput mapper, record again with the new version';

/** A call of a function that a replay mocks cannot be answered from the recording; the function did not run. */
export class ReplayMockMissError extends TracerError {
  readonly code = 'TRACER_REPLAY_MOCK_MISS';
  /** The trace function key of the call. */
  readonly key: string;
  /** Trace function keys from below the replayed call down to the call. */
  readonly path: readonly string[];
  /** What it was called with, as JSON; `undefined` when that is not recorded. */
  readonly askedArguments: string | undefined;
  /** The recorded arguments that are nearest to it, as JSON; `undefined` when there are none. */
  readonly nearestArguments: string | undefined;

  constructor(miss: {
    path: readonly string[];
    /** It is a side effect, which is not let happen by `onMockMiss`. */
    isMarked: boolean;
    problem: string;
    /** What helps, where it is not that the arguments differ. */
    cure?: string | undefined;
    askedArguments?: string | undefined;
    nearestArguments?: string | undefined;
  }) {
    const key = miss.path.at(-1) ?? '';
    const { cure = DIFFERENT_ARGUMENTS, isMarked } = miss;
    const run = isMarked ? `live: [{ key: ${JSON.stringify(key)} }]` : "onMockMiss: 'run'";
    super(
      `The call of ${JSON.stringify(key)} at ${miss.path.join(' > ')} cannot be answered from the recording: ${miss.problem}. ${cure}, or replay with ${run} to let it run.`,
    );
    this.key = key;
    this.path = miss.path;
    this.askedArguments = miss.askedArguments;
    this.nearestArguments = miss.nearestArguments;
  }
}

/** The run to resume is finished, or there is no such run in the account of the key. */
export class ResumeRefusedError extends TracerError {
  readonly code = 'TRACER_RESUME_REFUSED';

  constructor(
    readonly testRunId: string,
    { isFinished }: { readonly isFinished: boolean },
  ) {
    super(
      isFinished
        ? `Test run ${testRunId} is finished and cannot be resumed. Start a new run, without resume.`
        : `There is no test run ${testRunId} to resume. Check the id, and that the API key belongs to the account of the run.`,
    );
  }
}

/** Code inside a replayed call would have connected to something, which the replay denies. */
export class NetworkDeniedError extends TracerError {
  readonly code = 'TRACER_NETWORK_DENIED';

  constructor(
    /** Such as `api.example.com:443`. */
    readonly target: string,
  ) {
    super(
      `The replay denies connections, and this one would go to ${target}. Wrap the function that connects and let mock answer it, name its key in live, or replay with network: 'allow'.`,
    );
  }
}

/** What was recorded of a call is not enough to make it again. */
export class CallNotReplayableError extends TracerError {
  readonly code = 'TRACER_CALL_NOT_REPLAYABLE';

  constructor(spanId: string, { problem, cure }: WhyNotReplayable) {
    super(`The input of span ${spanId} cannot be made again: ${problem}. ${cure}`);
  }
}

/** A run with a shorter `timeoutMs` leaves less than a second to each of the four steps at its end. */
export const FULL_END_MS = 4_000;

/** What to do where the service did not confirm the end of a run in `timeoutMs`. */
export function describeUnconfirmedCure(timeoutMs: number): string {
  if (timeoutMs >= FULL_END_MS) return 'Replay with resume once it is back.';
  return `Raise timeoutMs: the service had only ${timeoutMs} ms to confirm the run. Then replay with resume.`;
}
