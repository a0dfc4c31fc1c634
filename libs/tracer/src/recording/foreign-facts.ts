import type { UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from './active-span.js';

/** What another library tells of one of its spans, when it starts or when it ends. */
export interface ForeignFacts {
  /** The span's arguments, in order. */
  readonly input?: readonly unknown[] | undefined;
  readonly prompt?: string | undefined;
  readonly contexts?: readonly object[] | undefined;
  readonly usage?: UsageRecord | undefined;
}

export interface ForeignOutcome extends ForeignFacts {
  readonly output?: unknown;
  /** What was thrown, which may be `undefined`; absent: nothing was. */
  readonly error?: unknown;
  /** Its consumer stopped before the end. */
  readonly cancelled?: boolean | undefined;
}

/** Writes facts on the span, as they are now. */
export function noteFacts(span: ActiveSpan, facts: ForeignFacts): void {
  const { recorder, definition } = span.start;
  if (!span.isRecording) return;
  if (facts.input !== undefined) span.setInput(recorder.fields.captureInput(definition, facts.input));
  if (facts.prompt !== undefined && recorder.fields.capturesInput) span.setPrompt(facts.prompt);
  for (const context of facts.contexts ?? []) span.addContext(context);
  if (facts.usage !== undefined) span.addUsage(facts.usage);
}

/** Writes the outcome on the span and ends it. A library whose data cannot be read costs the span its data, no more. */
export function endWithOutcome(span: ActiveSpan, read: () => ForeignOutcome): void {
  const { recorder, definition } = span.start;
  if (!span.isRecording) {
    span.discard();
    return;
  }
  const outcome = recorder.guard('reading the span of another library', read) ?? {};
  noteFacts(span, outcome);
  const output = recorder.fields.captureOutput(definition, outcome.output);
  if ('error' in outcome) span.fail(outcome.error, output);
  else span.finish(outcome.cancelled === true ? 'cancelled' : 'ok', output);
}

/** An error that is known by its text alone: without a stack, since ours would point at the wrong place. */
export function errorFromText(name: string, message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, 'stack', { value: undefined });
  error.name = name;
  return error;
}
