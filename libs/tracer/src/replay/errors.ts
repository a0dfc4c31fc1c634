import { TracerError } from '../errors.js';
import type { WhyNotReplayable } from './why-not-replayable.js';

/** A requested trace has no finished call with the key. */
export class CallNotFoundError extends TracerError {
  readonly code = 'TRACER_CALL_NOT_FOUND';

  constructor(traceId: string, key: string) {
    super(
      `Trace ${traceId} has no finished call with the key ${JSON.stringify(key)}. Check the trace id, the key, and that the API key belongs to the account that recorded it.`,
    );
  }
}

/** The recorded call or the dataset example was deleted after the run selected it. */
export class SourceDeletedError extends TracerError {
  readonly code = 'TRACER_SOURCE_DELETED';

  constructor() {
    super(
      'Not replayed: its recording was deleted after the run selected it. Start a new run to select stored calls.',
    );
  }
}

/** A replayed call exceeded its timeout. Its work may still continue. */
export class ReplayTimeoutError extends TracerError {
  readonly code = 'TRACER_REPLAY_TIMEOUT';

  constructor(key: string, timeoutMs: number) {
    super(
      `The replayed call of ${JSON.stringify(key)} was not done after ${timeoutMs} ms. If it needs more time, raise timeoutMs. Otherwise find what it waits for: an endless stream, a lock, or a service that does not answer.`,
    );
  }
}

/** An evaluator exceeded its timeout. Its work may still continue. */
export class EvaluatorTimeoutError extends TracerError {
  readonly code = 'TRACER_EVALUATOR_TIMEOUT';

  /** @param evaluator its name */
  constructor(evaluator: string, timeoutMs: number) {
    super(
      `The evaluator ${evaluator} had not scored an item after ${timeoutMs} ms. If it needs more time, raise timeoutMs. Otherwise find what it waits for. Its argument has a signal to stop it.`,
    );
  }
}

/** A call has more recorded inner calls than a replay with `mock` holds in memory. */
export class RecordingTooLargeError extends TracerError {
  readonly code = 'TRACER_RECORDING_TOO_LARGE';

  constructor(spanId: string, max: number) {
    super(
      `More than ${max} calls were recorded below span ${spanId}. Replay it with mock: 'none', or replay a key deeper in the trace.`,
    );
  }
}

const DIFFERENT_ARGUMENTS =
  'Map arguments that vary from call to call with captureInput, record again with the new version';

/** A call of a function that a replay mocks cannot be answered from the recording; the function did not run. */
export class ReplayMockMissError extends TracerError {
  readonly code = 'TRACER_REPLAY_MOCK_MISS';
  /** The trace function key of the call. */
  readonly key: string;
  /** Trace function keys from below the replayed call down to the call. */
  readonly path: readonly string[];
  /** Its arguments, as JSON; `undefined` if they are not recorded. */
  readonly askedArguments: string | undefined;
  /** The nearest recorded arguments, as JSON; `undefined` without any. */
  readonly nearestArguments: string | undefined;
  /** Where the two differ, such as `$[0].sentAt`; empty if one of them is unknown. */
  readonly differingPaths: readonly string[];
  /** Why it cannot be answered, as the end of a sentence. */
  readonly problem: string;

  constructor(miss: {
    path: readonly string[];
    /** Whether it is a side effect, which `onMockMiss` never runs. */
    isMarked: boolean;
    problem: string;
    /** What to do, if the reason is not different arguments. */
    cure?: string | undefined;
    askedArguments?: string | undefined;
    nearestArguments?: string | undefined;
    differingPaths?: readonly string[] | undefined;
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
    this.differingPaths = miss.differingPaths ?? [];
    this.problem = miss.problem;
  }
}

/** The run to resume is finished, or the account of the key has no run with this id. */
export class ResumeRefusedError extends TracerError {
  readonly code = 'TRACER_RESUME_REFUSED';

  constructor(
    readonly testRunId: string,
    { isFinished }: { readonly isFinished: boolean },
  ) {
    super(
      isFinished
        ? `Test run ${testRunId} is finished and cannot be resumed. Start a new run, without resume.`
        : `No test run has the id ${testRunId}. Check the id, and that the API key belongs to the account of the run.`,
    );
  }
}

/** Code inside a replayed call tried to connect, which the replay denies. */
export class NetworkDeniedError extends TracerError {
  readonly code = 'TRACER_NETWORK_DENIED';

  constructor(
    /** Such as `api.example.com:443`. */
    readonly target: string,
  ) {
    super(
      `The replay denies network connections, such as this one to ${target}. Wrap the function that connects and mock it, name its key in live, or replay with network: 'allow'.`,
    );
  }
}

/** The recording of a call is not enough to replay it. */
export class CallNotReplayableError extends TracerError {
  readonly code = 'TRACER_CALL_NOT_REPLAYABLE';

  constructor(spanId: string, { problem, cure }: WhyNotReplayable) {
    super(`The input of span ${spanId} cannot be rebuilt: ${problem}. ${cure}`);
  }
}

/** With a shorter `timeoutMs`, each of the four steps at the end of a run has less than a second. */
export const FULL_END_MS = 4_000;

/** What to do if the service did not confirm the end of a run within `timeoutMs`. */
export function describeUnconfirmedCure(timeoutMs: number): string {
  if (timeoutMs >= FULL_END_MS) return 'Replay with resume when the service is back.';
  return `Raise timeoutMs: the service had only ${timeoutMs} ms to confirm the run. Then replay with resume.`;
}
