import type { PromptFormat, SpanLevel, UsageRecord, Members } from '@dacapo/protocol';
import type { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Part } from '../late.js';

/** What an answer to a request says about itself. */
export interface AnswerFacts {
  readonly usage?: UsageRecord | undefined;
  /** Finish reason, answering model and their like; what is `undefined` or `null` is not known. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** What repeats a part of the answer; recorded where outputs are. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** What an answer that came says of itself where it is no success. */
export interface AnswerVerdict {
  readonly status?: 'error' | 'cancelled';
  /** What the model failed with, of `error`. */
  readonly error?: Error;
  /** It is cut short, or refused: worth a look. */
  readonly level?: SpanLevel;
}

/** Puts the chunks of a streamed answer together. */
export interface AnswerGatherer {
  /** @returns whether the chunk carries a part of the answer, and is not about it alone */
  add(chunk: unknown): boolean;
  /** What the chunks came to so far, in the form of an answer that is not streamed; `undefined` where nothing is known. */
  answer(): unknown;
  /** The answer is complete, so a consumer that leaves the stream now has all of it; default: it never is. */
  readonly hasEnded?: boolean;
}

/** Reads the prompt of a request as one text. */
export interface PromptReader {
  (request: Members): string | undefined;
  /** Whoever reads the record can find the prompt in the input, so it is not recorded a second time. */
  readonly format?: PromptFormat;
}

/** One request whose answer is a body that its caller reads. */
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
  /** Reads a request as it is recorded. */
  readonly prompt: PromptReader;
  answer(value: unknown): AnswerFacts;
  /** Absent, or `undefined`: it is a success. */
  verdict?(answer: unknown): AnswerVerdict | undefined;
  /** What is recorded of an answer, or of a chunk, the first or a further one; default: all of it. */
  recorded?(answer: unknown, isFurther: boolean): unknown;
  /** What was recorded, of a chunk with the first of its stream, as the client gives it; default: as it is. */
  revived?(recorded: unknown, first?: unknown): unknown;
  /** Absent: it never streams. @param request what was asked, where the answer is a body */
  gather?(request?: unknown): AnswerGatherer;
  /**
   * Follows a response whose body the client leaves to its caller. Absent: the body is not recorded.
   *
   * @returns whether it can be followed
   */
  followBody?(response: object, recording: BodyRecording): boolean;
}

/** A method of a vendor's client that sends one request to a model: what must be known before the request leaves. */
export interface ModelMethod {
  /** Where it is, from the client on: `['chat', 'completions', 'create']`. */
  readonly path: readonly string[];
  /** The method of the same object that sends the request for it, where a version has one; helpers go through it. */
  readonly sentBy?: string;
  /** The last part of its key, where that is not its path. */
  readonly key?: string;
  /** Whether a call with this first argument is one; default: each is. */
  takes?(request: unknown): boolean;
  /** The member of an answer that holds its stream; default: the answer is the stream. */
  readonly streamIn?: string;
  /** What is asked of a first argument that wraps it. */
  body?(request: Members): Members;
  /** What is asked, without how it travels; default: the first argument as it is. */
  recordedRequest?(request: Members): unknown;
  /** Records a request with the bytes of its files. Absent: its requests have none. */
  readonly contents?: Part<(span: ActiveSpan, request: unknown) => Promise<void>>;
  /** The client aborts a request that takes too long as the application would. */
  readonly abortsOnTimeout?: true;
  /** Loaded with the first client that has the method. */
  readonly reader: Part<ModelReader>;
}

/** A vendor's client, told by what it has, of whichever version. */
export interface Vendor {
  /** The first part of trace function keys: `openai`. */
  readonly name: string;
  /** The methods that send requests; a version may lack some. */
  readonly methods: readonly ModelMethod[];
  isClient(client: Members): boolean;
  /** Who answers this client, by its address or else its class; `undefined` where neither is known. */
  findProvider(client: Members): string | undefined;
}
