import type { AnyFunction } from '../../recording/span-definition.js';
import type { ModelMethod } from './model-method.js';
import type { ModelRecording } from './model-recording.js';

/** How a replay answers the requests of a kind of client. */
export interface AnswerKind {
  /** What a request throws that the application takes back; default: the reason of the signal. */
  readonly abortError?: (client: object, signal: AbortSignal | undefined) => unknown;
  /** What the caller gets. */
  readonly answered: (outcome: Promise<unknown>, call: AnsweredCall) => unknown;
}

/** A request that a replay answered: nothing went out. */
export interface AnsweredCall {
  readonly method: ModelMethod;
  readonly client: object;
  readonly args: readonly unknown[];
  /** The error of who asks for what was not recorded. */
  miss(what: string): Error;
}

/** A request that a replay is to answer. */
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
  /** @param body gives the recorded answer */
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
