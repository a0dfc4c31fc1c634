/** What is read of the AI SDK (`ai` 5 to 7), by shape: the package is never imported. */
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

/**
 * For version 7: `registerTelemetry(tracer.getAiSdkTelemetry())`, once. For versions 5 and 6 it is what
 * `experimental_telemetry` takes, alone or spread with a `functionId` of the call.
 */
export interface AiSdkTelemetry {
  readonly isEnabled: true;
  readonly tracer: AiSdkTracer;
  onStart(event: object): Promise<void> | undefined;
  onLanguageModelCallStart(event: object): Promise<void> | undefined;
  onLanguageModelCallEnd(event: object): Promise<void> | undefined;
  onObjectStepStart(event: object): Promise<void> | undefined;
  onObjectStepEnd(event: object): Promise<void> | undefined;
  onEmbedStart(event: object): Promise<void> | undefined;
  onEmbedEnd(event: object): Promise<void> | undefined;
  onRerankStart(event: object): Promise<void> | undefined;
  onRerankEnd(event: object): Promise<void> | undefined;
  onToolExecutionStart(event: object): Promise<void> | undefined;
  onToolExecutionEnd(event: object): Promise<void> | undefined;
  onEnd(event: object): Promise<void> | undefined;
  onAbort(event: object): Promise<void> | undefined;
  onError(event: unknown): Promise<void> | undefined;
  executeLanguageModelCall<T>(call: AiSdkExecution<T>): PromiseLike<T>;
  executeTool<T>(call: AiSdkExecution<T>): PromiseLike<T>;
}
