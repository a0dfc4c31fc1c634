import type { AnyFunction } from '../../recording/span-definition.js';
import type { ModelMethod } from './model-method.js';
import type { ModelRecording } from './model-recording.js';

/** How a replay answers the requests of a kind of client. */
export interface AnswerKind {
  /** The error of a request that the application cancels; default: the signal's reason. */
  readonly abortError?: (client: object, signal: AbortSignal | undefined) => unknown;
  /** Creates the value that the caller receives. */
  readonly answered: (outcome: Promise<unknown>, call: AnsweredCall) => unknown;
}

/** A request that a replay answered without sending it. */
export interface AnsweredCall {
  readonly method: ModelMethod;
  readonly client: object;
  readonly args: readonly unknown[];
  /** Creates the error for access to data that was not recorded. */
  miss(what: string): Error;
}

/** A request that a replay answers. */
export interface RequestToAnswer {
  readonly kind: AnswerKind;
  readonly client: object;
  readonly method: ModelMethod;
  readonly recording: ModelRecording;
}

export interface RequestWithFiles extends Pick<AnsweredCall, 'method' | 'client' | 'args'> {
  readonly kind: AnswerKind;
  /** Sends or answers the request, which is described with the bytes of its files. */
  readonly call: (described: object) => unknown;
}

/** Where a package exports the classes of its errors. */
export interface ErrorSource {
  readonly name: string;
  /** The module with the class of the client. */
  readonly client?: string;
  readonly errors?: string;
}

/** How replays answer the requests of clients. */
export interface ClientAnswers {
  /** @param body returns the recorded answer */
  readonly answer: (request: RequestToAnswer, body: AnyFunction, args: readonly unknown[]) => unknown;
  /** Answers a request with files, when these are read: a replay looks for the call with the same bytes. */
  readonly answerFiles: (request: RequestWithFiles) => unknown;
  readonly stainless: AnswerKind;
  readonly google: AnswerKind;
  readonly claude: AnswerKind;
  readonly plain: (source: ErrorSource) => AnswerKind;
  /** A recorded error of the Model Context Protocol, as the client throws it. */
  readonly mcpError: (client: object, error: unknown) => unknown;
}
