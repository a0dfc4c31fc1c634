import type { UsageRecord } from '@dacapo/protocol';
import { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { type Fields, fieldsOf, isFields, knownFacts, text } from '../readers.js';
import { countAttempts, sentRequestOf } from './attempts.js';
import { withoutRequest } from './repeated-request.js';
import type { AnswerFacts, ModelMethod } from './model-method.js';

/** One request to a model, noted on its span. Nothing here throws. */
export class ModelRecording {
  /** Of the request, as its server names it. */
  requestId: unknown;

  constructor(
    readonly span: ActiveSpan,
    readonly method: ModelMethod,
    private readonly describe: (args: readonly unknown[]) => UsageRecord,
    private readonly args: readonly unknown[],
    /** Whether the chunks of a streamed answer are recorded. */
    readonly keepsChunks: boolean,
    /** A replay answers it: what it used is not used again. */
    private readonly isAnswered = false,
  ) {}

  /** Notes what is known before the request goes out. */
  begin(): void {
    const { span, method } = this;
    if (!span.isRecording) return;
    this.guard('reading a request to a model', () => {
      const given = fieldsOf(this.args[0]);
      const request = method.body?.(given) ?? given;
      const { recorder, definition } = span.start;
      const prompt = recorder.fields.recordsInput(definition) ? method.prompt(request) : undefined;
      if (prompt !== undefined) span.setPrompt(prompt);
      span.noteUsage(this.describe(this.args));
    });
  }

  /** From here on the tries of the request are counted. */
  send(): void {
    if (this.span.isRecording) countAttempts(this.span);
  }

  /** The whole answer has come. */
  succeed(answer: unknown): void {
    if (this.span.isOver) return;
    this.note(() => this.method.answer(answer));
    const { fields } = this.span.start.recorder;
    this.end(answer, fields.captureOutput(this.span.start.definition, this.recorded(answer)));
  }

  /** Ends the span of an answer that came, with the status that the answer has. */
  end(answer: unknown, output: Captured | undefined): void {
    const { span, method } = this;
    const verdict = this.guard('reading the status of an answer', () => method.verdict?.(answer));
    const { status, error, level } = verdict ?? {};
    if (level !== undefined) span.level ??= level;
    span.isAnswered = status !== undefined;
    if (status === 'error') span.fail(error, output);
    else span.finish(status ?? 'ok', output);
  }

  /** What is recorded of an answer or of a chunk. */
  recorded(answer: unknown, isFurther = false): unknown {
    const { method, span } = this;
    const { recorder, definition } = span.start;
    const isRequestRecorded = recorder.fields.recordsInput(definition);
    if (method.recorded === undefined && isRequestRecorded) return answer;
    return this.guard('reading the answer of a model', () => {
      const recorded = method.recorded === undefined ? answer : method.recorded(answer, isFurther);
      return isRequestRecorded ? recorded : withoutRequest(recorded);
    });
  }

  /** What is recorded of the answer that the chunks of a stream come to. */
  recordedMerged(answer: unknown): unknown {
    const { recorder, definition } = this.span.start;
    return recorder.fields.recordsInput(definition) ? answer : withoutRequest(answer);
  }

  /** The answer is the caller's to read: what it is, is told, what it holds is not. */
  handOver(description: Fields): void {
    const { span } = this;
    if (span.isOver) return;
    this.note();
    const told = span.start.recorder.fields.captureOutput(span.start.definition, description);
    span.finish('ok', told && new Captured(told.utf8, told.meta, false));
  }

  fail(error: unknown): void {
    const { span } = this;
    if (span.isOver) return;
    const { request_id, requestID } = fieldsOf(error);
    this.requestId ??= request_id ?? requestID;
    this.note();
    if (this.isAborted(error)) span.finish('cancelled', undefined);
    else span.fail(error);
  }

  /** Notes what the answer tells, and how it came. */
  note(read?: () => AnswerFacts): void {
    const { span } = this;
    if (!span.isRecording || this.isAnswered) return;
    this.guard('reading the answer of a model', () => {
      const { usage, facts, content } = read?.() ?? {};
      const { recorder, definition } = span.start;
      const { attempts = [], requestId, billing } = sentRequestOf(span) ?? {};
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

  /** Whether the application took the request back. */
  isAborted(error: unknown): boolean {
    const isAbort =
      error instanceof Error &&
      ((error.name === 'AbortError' && this.method.abortsOnTimeout !== true) ||
        error.constructor.name === 'APIUserAbortError');
    return isAbort || signalsOf(this.args).some(({ aborted }) => aborted);
  }
}

/** The signals that may take a request back: among its options, or in the request itself. */
export function signalsOf([request, options]: readonly unknown[]): AbortSignal[] {
  const { signal, abortSignal, config } = fieldsOf(request);
  const { signal: own, abortSignal: ownAbort, fetchOptions } = fieldsOf(options);
  const ofFetch = fieldsOf(fetchOptions)['signal'];
  return [own, ownAbort, ofFetch, signal, abortSignal, fieldsOf(config)['abortSignal']].filter(
    (value): value is AbortSignal =>
      isFields(value) &&
      typeof value['aborted'] === 'boolean' &&
      typeof value['addEventListener'] === 'function',
  );
}
