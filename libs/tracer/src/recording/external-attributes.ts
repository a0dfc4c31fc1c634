import type { UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from './active-span.js';

/** What another library reports about one of its spans, at its start or end. */
export interface ExternalAttributes {
  /** The span's arguments, in order. */
  readonly input?: readonly unknown[] | undefined;
  readonly prompt?: string | undefined;
  readonly contexts?: readonly object[] | undefined;
  /** Settings, tools and other parameters of a request, without its input; `undefined` and `null` mean unknown. */
  readonly messages?: Readonly<Record<string, unknown>> | undefined;
  readonly usage?: UsageRecord | undefined;
}

export interface ExternalOutcome extends ExternalAttributes {
  readonly output?: unknown;
  /** The thrown value, which may be `undefined`. The property is absent if nothing was thrown. */
  readonly error?: unknown;
  /** Its consumer stopped before the end. */
  readonly cancelled?: boolean | undefined;
}

/** Captures the current attributes on the span. */
export function setAttributes(span: ActiveSpan, attributes: ExternalAttributes): void {
  const { recorder, definition } = span.start;
  if (!span.isRecording) return;
  if (attributes.input !== undefined)
    span.setInput(recorder.fields.captureInput(definition, attributes.input));
  const isInputRecorded = recorder.fields.recordsInput(definition);
  if (attributes.prompt !== undefined && isInputRecorded) span.setPrompt(attributes.prompt);
  const requestSettings = Object.entries(attributes.messages ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  for (const context of attributes.contexts ?? []) span.addContext(context);
  if (requestSettings.length > 0 && isInputRecorded) span.addContext(Object.fromEntries(requestSettings));
  if (attributes.usage !== undefined) span.noteUsage(attributes.usage);
}

/** Captures the outcome on the span and ends it. If the library's data cannot be read, the span ends without it. */
export function endWithOutcome(span: ActiveSpan, read: () => ExternalOutcome): void {
  const { recorder, definition } = span.start;
  if (!span.isRecording) {
    span.discard();
    return;
  }
  const outcome = recorder.guard('reading the span of another library', read) ?? {};
  setAttributes(span, outcome);
  const output = recorder.fields.captureOutput(definition, outcome.output);
  if ('error' in outcome) span.fail(withheldText(outcome.error, span), output);
  else span.finish(outcome.cancelled === true ? 'cancelled' : 'ok', output);
}

/** Errors whose text comes from another library and may quote a call's arguments or result. */
const foreignErrors = new WeakSet<object>();

function withheldText(error: unknown, { start: { recorder, definition } }: ActiveSpan): unknown {
  const isForeign = typeof error === 'object' && error !== null && foreignErrors.has(error);
  const areValuesRecorded =
    recorder.fields.recordsInput(definition) && recorder.fields.recordsOutput(definition);
  return isForeign && !areValuesRecorded ? errorFromText((error as Error).name, '') : error;
}

/** Creates an error from its text. It has no stack, because ours would point to the wrong place. */
export function errorFromText(name: string, message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, 'stack', { value: undefined });
  error.name = name;
  foreignErrors.add(error);
  return error;
}
