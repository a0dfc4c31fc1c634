/** Structural types for the parts of `@openai/agents` (0.13 to 0.20) that the adapter reads. The package is never imported. */
export interface AgentsTrace {
  readonly traceId: string;
  readonly name: string;
  readonly groupId?: string | null;
  readonly metadata?: Record<string, unknown>;
}

export interface AgentsSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly spanData: AgentsSpanData;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: AgentsSpanError | null;
}

export interface AgentsSpanError {
  readonly message: string;
  readonly data?: Record<string, unknown>;
}

/** Members by `type`; most are filled in only when the span ends. */
export interface AgentsSpanData {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The interface that `setTraceProcessors` of `@openai/agents` takes. */
export interface AgentsTracingProcessor {
  start(): void;
  onTraceStart(trace: AgentsTrace): Promise<void>;
  onTraceEnd(trace: AgentsTrace): Promise<void>;
  onSpanStart(span: AgentsSpan): Promise<void>;
  onSpanEnd(span: AgentsSpan): Promise<void>;
  /** Does nothing, because the package also calls it on processors that it keeps using. */
  shutdown(timeoutMs?: number): Promise<void>;
  /** Sends waiting records. */
  forceFlush(): Promise<void>;
}
