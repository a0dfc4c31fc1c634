import { type UsageRecord, type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { ByteString } from '../../byte-string.js';
import { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { Late } from '../late.js';
import { knownFacts, text } from '../readers.js';
import { countAttempts, findSentRequest } from './attempts.js';
import { withoutRequest } from './repeated-request.js';
import type { AnswerFacts, ModelMethod, ModelReader } from './model-method.js';

/** Loaded together with the readers of answers. */
export const STREAM_CHUNKS = new Late(
  async () => (await import('../../recording/result/stream-chunks.js')).StreamChunks,
);

/** Loads the reader of a method's answers. Rejects if it cannot be loaded. */
export function loadReading({ reader, contents }: ModelMethod): Promise<unknown> {
  return Promise.all([reader.ready(), STREAM_CHUNKS.ready(), contents?.ready()]);
}

/** Notes one request to a model on its span. Never throws. */
export class ModelRecording {
  /** The server's id for the request. */
  requestId: unknown;
  /** Never rejects. Absent if the request has no files. */
  private filesRead: Promise<void> | undefined;

  constructor(
    readonly span: ActiveSpan,
    readonly method: ModelMethod,
    private readonly describe: (args: readonly unknown[]) => UsageRecord,
    private readonly args: readonly unknown[],
    /** Whether the chunks of a streamed answer are recorded. */
    readonly keepsChunks: boolean,
    /** Whether a replay answers it, so that its usage does not count again. */
    private readonly isAnswered = false,
  ) {}

  /** Notes the facts that are known before the request is sent. */
  begin(): void {
    const { span } = this;
    if (!span.isRecording) return;
    span.readPrompt = (input) => this.reader?.prompt.format ?? this.promptIn(input);
    this.guard('reading a request to a model', () => {
      span.noteUsage(this.describe(this.args));
    });
  }

  /** Records the bytes of the request's files. */
  readFiles(): void {
    const { method, span, request } = this;
    const { contents } = method;
    if (contents === undefined || !span.isRecording) return;
    this.filesRead = loadReading(method)
      .then(() => contents.current?.(span, request))
      .catch((error: unknown) => {
        span.start.recorder.failed('reading the files of a request', error);
      });
  }

  /** Reads the prompt from the recorded request, which is already masked. */
  private promptIn({ utf8 }: Captured): Captured | undefined {
    return this.guard('reading a request to a model', () => {
      const [request] = JSON.parse(utf8) as unknown[];
      const prompt = hasMembers(request) ? this.reader?.prompt(request) : undefined;
      return prompt === undefined
        ? undefined
        : new Captured(JSON.stringify(prompt) as ByteString, undefined, true);
    });
  }

  /** `undefined` until it is loaded, and if it cannot be loaded. */
  get reader(): ModelReader | undefined {
    return this.method.reader.current;
  }

  /** The first argument. */
  get request(): unknown {
    return this.args[0];
  }

  /** Runs `work` when the reader is loaded: a client's first answer may arrive earlier. */
  whenReadable<T>(work: () => T): T | Promise<T> {
    if (this.filesRead !== undefined) return this.filesRead.then(work);
    const isLoaded = this.reader !== undefined && STREAM_CHUNKS.current !== undefined;
    return isLoaded ? work() : loadReading(this.method).then(work, work);
  }

  /** Starts to count the attempts of the request. */
  send(): void {
    if (this.span.isRecording) countAttempts(this.span);
  }

  /** Ends the span after a complete answer. */
  succeed(answer: unknown): void {
    if (this.span.isOver) return;
    this.note(() => this.reader?.answer(answer));
    const { fields } = this.span.start.recorder;
    this.end(answer, fields.captureOutput(this.span.start.definition, this.recorded(answer)));
  }

  /** Ends the span of an answer that came, with the status that the answer has. */
  end(answer: unknown, output: Captured | undefined): void {
    const { span, reader } = this;
    const verdict = this.guard('reading the status of an answer', () => reader?.verdict?.(answer));
    const { status, error, level } = verdict ?? {};
    if (level !== undefined) span.level ??= level;
    span.isAnswered = status !== undefined;
    if (status === 'error') span.fail(error, output);
    else span.finish(status ?? 'ok', output);
  }

  /** Returns what to record of an answer or a chunk. */
  recorded(answer: unknown, isFurther = false): unknown {
    const { reader, span } = this;
    const { recorder, definition } = span.start;
    const isRequestRecorded = recorder.fields.recordsInput(definition);
    if (reader?.recorded === undefined && isRequestRecorded) return answer;
    return this.guard('reading the answer of a model', () => {
      const recorded = reader?.recorded === undefined ? answer : reader.recorded(answer, isFurther);
      return isRequestRecorded ? recorded : withoutRequest(recorded);
    });
  }

  /** Returns what to record of an answer that was merged from chunks. */
  recordedMerged(answer: unknown): unknown {
    const { recorder, definition } = this.span.start;
    return recorder.fields.recordsInput(definition) ? answer : withoutRequest(answer);
  }

  /** The caller reads the answer, so only its kind is recorded, not its content. */
  handOver(description: Members): void {
    const { span } = this;
    if (span.isOver) return;
    this.note();
    const captured = span.start.recorder.fields.captureOutput(span.start.definition, description);
    span.finish('ok', captured && new Captured(captured.utf8, captured.meta, false));
  }

  fail(error: unknown): void {
    const { span } = this;
    if (span.isOver) return;
    const { request_id, requestID } = toMembers(error);
    this.requestId ??= request_id ?? requestID;
    this.note();
    if (this.isAborted(error)) span.finish('cancelled', undefined);
    else span.fail(error);
  }

  /** Records facts of the answer, and how it arrived. */
  note(read?: () => AnswerFacts | undefined): void {
    const { span } = this;
    if (!span.isRecording || this.isAnswered) return;
    this.guard('reading the answer of a model', () => {
      const { usage, facts, content } = read?.() ?? {};
      const { recorder, definition } = span.start;
      const { attempts = [], requestId, billing } = findSentRequest(span) ?? {};
      span.noteUsage({
        ...usage,
        ...text('response_model', facts?.['responseModel']),
        ...(attempts.length > 0 && { attempts: attempts.length }),
        ...billing,
      });
      const [known] =
        knownFacts({
          ...facts,
          ...(recorder.fields.recordsOutput(definition) && content),
          requestId: this.requestId ?? requestId,
          attempts: attempts.length > 1 ? attempts : undefined,
        }) ?? [];
      if (known !== undefined) span.addContext(known);
    });
  }

  guard<T>(doing: string, work: () => T): T | undefined {
    return this.span.start.recorder.guard(doing, work);
  }

  /** Whether the application cancelled the request. */
  isAborted(error: unknown): boolean {
    const isAbort =
      error instanceof Error &&
      ((error.name === 'AbortError' && this.method.abortsOnTimeout !== true) ||
        error.constructor.name === 'APIUserAbortError');
    return isAbort || findSignals(this.args).some(({ aborted }) => aborted);
  }
}

/** Returns the signals that can cancel a request, from its options and from the request itself. */
export function findSignals([request, options]: readonly unknown[]): AbortSignal[] {
  const { signal, abortSignal, config, options: inner } = toMembers(request);
  const { signal: own, abortSignal: ownAbort, fetchOptions } = toMembers(options);
  const ofFetch = toMembers(fetchOptions)['signal'];
  const { abortController } = toMembers(inner);
  return [
    own,
    ownAbort,
    ofFetch,
    signal,
    abortSignal,
    toMembers(config)['abortSignal'],
    toMembers(abortController)['signal'],
  ].filter(
    (value): value is AbortSignal =>
      hasMembers(value) &&
      typeof value['aborted'] === 'boolean' &&
      typeof value['addEventListener'] === 'function',
  );
}
