import type { UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from './active-span.js';

/** What another library tells of one of its spans when it ends. */
export interface ForeignFacts {
  /** The span's arguments, in order. */
  readonly input?: readonly unknown[] | undefined;
  readonly output?: unknown;
  readonly error?: unknown;
  /** Its consumer stopped before the end. */
  readonly cancelled?: boolean | undefined;
  readonly prompt?: string | undefined;
  readonly contexts?: readonly object[] | undefined;
  readonly usage?: UsageRecord | undefined;
}

/** Writes the facts on the span and ends it. A library whose data cannot be read costs the span its data, no more. */
export function endWithFacts(span: ActiveSpan, read: () => ForeignFacts): void {
  const { recorder, definition } = span.start;
  if (!span.isRecording) {
    span.discard();
    return;
  }
  let facts: ForeignFacts = {};
  try {
    facts = read();
  } catch (error) {
    recorder.failed('reading the span of another library', error);
  }
  if (facts.input !== undefined) span.input = recorder.captureInput(definition, facts.input);
  if (facts.prompt !== undefined && recorder.capturesInput) span.setPrompt(facts.prompt);
  for (const context of facts.contexts ?? []) span.addContext(context);
  if (facts.usage !== undefined) span.addUsage(facts.usage);
  const output = recorder.captureOutput(definition, facts.output);
  if (facts.error !== undefined) span.fail(facts.error, output);
  else span.finish(facts.cancelled === true ? 'cancelled' : 'ok', output);
}

/** An error that is known by its text alone: without a stack, since ours would point at the wrong place. */
export function errorFromText(name: string, message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, 'stack', { value: undefined });
  error.name = name;
  return error;
}
