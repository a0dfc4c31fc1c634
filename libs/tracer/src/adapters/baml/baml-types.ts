/** Structural types for the parts of `@boundaryml/baml` (0.223 to 0.226) and its generated clients that the adapter reads. It is never imported. */
export interface BamlClient {
  readonly runtime: { readonly constructor: unknown };
  readonly bamlOptions?: BamlCallOptions;
}

interface BamlCallOptions {
  readonly collector?: unknown;
  readonly [option: string]: unknown;
}

export interface BamlPackage {
  readonly BamlRuntime: unknown;
  readonly Collector: new (name?: string) => BamlCollector;
}

export interface BamlCollector {
  readonly last: BamlFunctionLog | null;
  clear(): void;
}

/** A native object: each of its getters makes a new one. */
interface BamlFunctionLog {
  readonly functionName: string;
  readonly timing: BamlTiming;
  readonly usage: BamlUsage;
  /** Attempts, in no order. `selectedCall` cannot be used from JavaScript. */
  readonly calls: BamlCall[];
}

export interface BamlCall {
  readonly selected: boolean;
  readonly provider: string;
  readonly clientName: string;
  readonly usage: BamlUsage | null;
  readonly timing: BamlTiming;
  /** Its headers hold the key: only `url` and `body` are read. */
  readonly httpRequest: { readonly url: string; readonly body: BamlBody } | null;
  readonly httpResponse: { readonly status: number; readonly body: BamlBody } | null;
  sseResponses?(): { json(): unknown }[] | null;
}

export interface BamlBody {
  /** @throws when the body is not JSON */
  json(): unknown;
}

interface BamlTiming {
  readonly startTimeUtcMs: number;
  readonly durationMs: number | null;
}

export interface BamlUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
}

/** What `client.stream.Fn()` returns: lazy, nothing is sent until it is consumed. */
export interface BamlStream {
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
  getFinalResponse(): Promise<unknown>;
  /** Private there. An aborted stream may end as if it were done. */
  readonly abortSignal?: AbortSignal | undefined;
}
