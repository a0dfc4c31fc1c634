import type { UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from './active-span.js';

/** What another library tells of one of its spans, when it starts or when it ends. */
export interface ExternalAttributes {
  /** The span's arguments, in order. */
  readonly input?: readonly unknown[] | undefined;
  readonly prompt?: string | undefined;
  readonly contexts?: readonly object[] | undefined;
  /** Settings, tools and what else a request asks beside its input; what is `undefined` or `null` is not known. */
  readonly messages?: Readonly<Record<string, unknown>> | undefined;
  readonly usage?: UsageRecord | undefined;
}

export interface ExternalOutcome extends ExternalAttributes {
  readonly output?: unknown;
  /** What was thrown, which may be `undefined`; absent: nothing was. */
  readonly error?: unknown;
  /** Its consumer stopped before the end. */
  readonly cancelled?: boolean | undefined;
}

/** Writes attributes on the span, as they are now. */
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

/** Writes the outcome on the span and ends it. A library whose data cannot be read costs the span its data, no more. */
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

/** Errors whose text another library wrote, perhaps of what a call got or gave. */
const foreignErrors = new WeakSet<object>();

function withheldText(error: unknown, { start: { recorder, definition } }: ActiveSpan): unknown {
  const isForeign = typeof error === 'object' && error !== null && foreignErrors.has(error);
  const areValuesRecorded =
    recorder.fields.recordsInput(definition) && recorder.fields.recordsOutput(definition);
  return isForeign && !areValuesRecorded ? errorFromText((error as Error).name, '') : error;
}

/** An error that is known by its text alone: without a stack, since ours would point at the wrong place. */
export function errorFromText(name: string, message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, 'stack', { value: undefined });
  error.name = name;
  foreignErrors.add(error);
  return error;
}
