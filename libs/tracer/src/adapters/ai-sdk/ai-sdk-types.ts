import type { LateEvents } from '../late-recorder.js';

/** Structural types for the parts of the AI SDK (`ai` 5 to 7) that the adapter reads. The package is never imported. */
export interface AiSdkEvent {
  /** Of one operation, such as `generateText`, with all its steps. */
  readonly callId: string;
  readonly [field: string]: unknown;
}

/** Work of an operation that is to run inside its span. */
export interface AiSdkExecution<T> {
  readonly callId: string;
  readonly toolCallId?: string | undefined;
  readonly execute: () => PromiseLike<T>;
}

/** The part of an OpenTelemetry tracer that versions 5 and 6 use. */
export interface AiSdkTracer {
  startSpan(name: string, options?: AiSdkSpanOptions): AiSdkSpan;
  startActiveSpan<F extends (span: AiSdkSpan) => unknown>(name: string, work: F): ReturnType<F>;
  startActiveSpan<F extends (span: AiSdkSpan) => unknown>(
    name: string,
    options: AiSdkSpanOptions,
    work: F,
  ): ReturnType<F>;
  startActiveSpan<F extends (span: AiSdkSpan) => unknown>(
    name: string,
    options: AiSdkSpanOptions,
    context: unknown,
    work: F,
  ): ReturnType<F>;
}

export interface AiSdkSpanOptions {
  readonly attributes?: object;
}

/** The part of an OpenTelemetry span that versions 5 and 6 use. */
export interface AiSdkSpan {
  setAttribute(name: string, value: unknown): AiSdkSpan;
  setAttributes(attributes: object): AiSdkSpan;
  addEvent(): AiSdkSpan;
  addLink(): AiSdkSpan;
  addLinks(): AiSdkSpan;
  recordException(error: unknown): void;
  setStatus(status: { readonly code: number; readonly message?: string }): AiSdkSpan;
  updateName(): AiSdkSpan;
  end(): void;
  isRecording(): boolean;
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
}

/** Events of version 7. */
export const AI_SDK_EVENTS = [
  'onStart',
  'onLanguageModelCallStart',
  'onLanguageModelCallEnd',
  'onObjectStepStart',
  'onObjectStepEnd',
  'onEmbedStart',
  'onEmbedEnd',
  'onRerankStart',
  'onRerankEnd',
  'onToolExecutionStart',
  'onToolExecutionEnd',
  'onEnd',
  'onAbort',
  'onError',
] as const;

/**
 * For version 7: `registerTelemetry(tracer.getAiSdkTelemetry())`, once. For versions 5 and 6: the value of `experimental_telemetry`,
 * alone or spread together with the call's `functionId`.
 */
export interface AiSdkTelemetry extends LateEvents<(typeof AI_SDK_EVENTS)[number]> {
  readonly isEnabled: true;
  readonly tracer: AiSdkTracer;
  executeLanguageModelCall<T>(call: AiSdkExecution<T>): PromiseLike<T>;
  executeTool<T>(call: AiSdkExecution<T>): PromiseLike<T>;
}
