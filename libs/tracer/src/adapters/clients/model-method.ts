import type { PromptFormat, SpanLevel, UsageRecord, Members } from '@dacapo/protocol';
import type { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Part } from '../late.js';

/** Facts about the answer to a request. */
export interface AnswerFacts {
  readonly usage?: UsageRecord | undefined;
  /** Finish reason, answering model and similar facts; `undefined` and `null` mean unknown. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** Facts that repeat a part of the answer; recorded only if outputs are. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The status of an answer that is not a success. */
export interface AnswerVerdict {
  readonly status?: 'error' | 'cancelled';
  /** The error of the model, for the status `error`. */
  readonly error?: Error;
  /** `warn` if the answer is cut short or refused. */
  readonly level?: SpanLevel;
}

/** Merges the chunks of a streamed answer. */
export interface AnswerGatherer {
  /** @returns whether the chunk has a part of the answer, and not only metadata */
  add(chunk: unknown): boolean;
  /** Returns the chunks so far as one answer, in the form of an answer that is not streamed; `undefined` without data. */
  answer(): unknown;
  /** The answer is complete, so a consumer that leaves the stream now has all of it; default: it never is. */
  readonly hasEnded?: boolean;
}

/** Reads the prompt of a request as one text. */
export interface PromptReader {
  (request: Members): string | undefined;
  /** The format of the messages in the input. Readers take the prompt from there, so it is not recorded a second time. */
  readonly format?: PromptFormat;
}

/** The recording of a request whose response body the caller reads. */
export interface BodyRecording {
  readonly span: ActiveSpan;
  /** The first argument. */
  readonly request: unknown;
  readonly reader: ModelReader | undefined;
  note(read: () => AnswerFacts | undefined): void;
  end(answer: unknown, output: Captured | undefined): void;
  fail(error: unknown): void;
  guard<T>(doing: string, work: () => T): T | undefined;
}

/** Reads the requests of a method and their answers. */
export interface ModelReader {
  /** Reads the prompt of a recorded request. */
  readonly prompt: PromptReader;
  answer(value: unknown): AnswerFacts;
  /** Absent, or `undefined`, for a success. */
  verdict?(answer: unknown): AnswerVerdict | undefined;
  /** Returns what to record of an answer, or of the first or a later chunk; default: everything. */
  recorded?(answer: unknown, isFurther: boolean): unknown;
  /** Restores the client's form of a recorded answer or chunk; `first` is the first chunk of the stream. Default: unchanged. */
  revived?(recorded: unknown, first?: unknown): unknown;
  /** Absent if it never streams. @param request the request, if the answer is a body */
  gather?(request?: unknown): AnswerGatherer;
  /**
   * Follows a response whose body the client leaves to its caller. Absent: the body is not recorded.
   *
   * @returns whether it can be followed
   */
  followBody?(response: object, recording: BodyRecording): boolean;
}

/** A method of a vendor's client that sends one request to a model. Has the facts that are needed before the request is sent. */
export interface ModelMethod {
  /** Its path from the client: `['chat', 'completions', 'create']`. */
  readonly path: readonly string[];
  /** A method of the same object that sends the request, in versions that have one. Helpers call it too. */
  readonly sentBy?: string;
  /** The last part of its key, if that differs from its path. */
  readonly key?: string;
  /** Whether a call with this first argument is a model request; default: every call is. */
  takes?(request: unknown): boolean;
  /** The member of an answer that holds its stream; default: the answer is the stream. */
  readonly streamIn?: string;
  /** Unwraps the request from the first argument. */
  body?(request: Members): Members;
  /** Returns the request without transport settings; default: the first argument. */
  recordedRequest?(request: Members): unknown;
  /** Records a request with the bytes of its files. Absent if its requests have no files. */
  readonly contents?: Part<(span: ActiveSpan, request: unknown) => Promise<void>>;
  /** The client aborts a request on timeout in the same way as the application. */
  readonly abortsOnTimeout?: true;
  /** Loaded with the first client that has the method. */
  readonly reader: Part<ModelReader>;
}

/** A vendor's client, recognized by its members, in any version. */
export interface Vendor {
  /** The first part of trace function keys: `openai`. */
  readonly name: string;
  /** The methods that send requests; a version may lack some. */
  readonly methods: readonly ModelMethod[];
  isClient(client: Members): boolean;
  /** Returns the provider of a client, by its address, otherwise by its class; `undefined` if both are unknown. */
  findProvider(client: Members): string | undefined;
}
