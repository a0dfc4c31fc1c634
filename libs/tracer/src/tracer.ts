import type { Adapters } from './adapters/adapters.js';
import type { AiSdkTelemetry } from './adapters/ai-sdk/ai-sdk-types.js';
import type { LangChainHandler } from './adapters/langchain/langchain-types.js';
import type { AgentsTracingProcessor } from './adapters/openai-agents/agents-types.js';
import { assembleTracer, type TracerAssembly } from './assembly.js';
import { withFileCodecs } from './capture/types/files.js';
import type { CurrentSpan, CurrentTrace } from './context/current-span.js';
import { getCurrentSpan, getCurrentTrace } from './context/handles.js';
import { runWithModelCallOptions } from './context/model-call-context.js';
import { releaseSubscribersContext } from './context/observables/subscribe-wrapper.js';
import type { ScoreInput, ScoreTarget } from './context/score-input.js';
import type { DeliveryStats, FlushOptions } from './delivery/record-sink.js';
import { DatasetsClient } from './datasets/datasets-client.js';
import { TracingDisabledError } from './errors.js';
import type { CallOptions } from './options/call-options.js';
import { type ModelCallOptions, resolveModelCallOptions } from './options/model-call-options.js';
import type {
  NativeFunctionInput,
  NativeFunctionName,
  NativeFunctionOutput,
  UndeclaredName,
} from './functions/native-function-types.js';
import type { NativeFunctions } from './functions/native-functions.js';
import { FunctionGroup } from './function-group.js';
import { IndexesClient } from './indexes/indexes-client.js';
import { registerTracer, unregisterTracer } from './live-tracers.js';
import {
  loadAdapters,
  loadWrapClaudeQuery,
  loadWrapClient,
  loadWrapMastraAgent,
  loadWrapMcpClient,
  loadWrapModel,
  loadWrapRealtime,
} from './load-later.js';
import type { ActiveSpan } from './recording/active-span.js';
import type { TracerOptions } from './options/tracer-options.js';
import { type ManualSpan, startManualSpan } from './recording/manual-span.js';
import { callUnrecorded, recordCall } from './recording/record-call.js';
import type { Recorder } from './recording/recorder.js';
import type { AnyFunction, SpanDefinition } from './recording/span-definition.js';
import type { Replayable } from './replay/replay-call.js';
import type { FunctionArguments, FunctionOutput } from './function-types.js';
import type { EvaluateOptions } from './options/evaluate-options.js';
import type { RunOptions } from './options/replay-options.js';
import type { RescoreOptions } from './options/rescore-options.js';
import type { ReplayResult } from './replay-types.js';
import type { ServiceClient } from './service/service-client.js';
import type { SpanOptions, StartSpanOptions } from './options/span-options.js';
import type { TestRuns } from './test-runs.js';
import type { TracerParts } from './tracer-parts.js';

/**
 * Records calls of AI functions and replays them (SPEC 4.2).
 *
 * An application needs one tracer. It works in the background and never changes what a wrapped function returns or throws.
 * A missing, empty or blank `apiKey` turns tracing off with one warning.
 */
export class Tracer {
  /** The catalogue of indexed services. */
  readonly indexes: IndexesClient;

  /** Named sets of examples, in versions that never change. */
  readonly datasets: DatasetsClient;

  /** Private fields, so `console.log(tracer)` prints no API keys. */
  readonly #options: TracerOptions;
  readonly #parts: TracerAssembly;
  private madeAdapters: Adapters | undefined;
  private nativeFunctions: NativeFunctions | undefined;

  /** @throws InvalidOptionError when an option is invalid; never for a missing key. */
  constructor(options: TracerOptions = {}, parts: TracerParts = {}) {
    this.#options = options;
    const { recorder } = (this.#parts = assembleTracer(options, parts));
    this.indexes = new IndexesClient(() => this.serviceFor('Asking for indexes'));
    this.datasets = new DatasetsClient({
      service: () => this.serviceFor('Asking for datasets'),
      capturer: this.#parts.capturer,
      codecs: withFileCodecs(options.capture?.codecs),
    });
    if (recorder !== undefined) registerTracer(this, recorder);
  }

  /** Whether calls are recorded: false without a key, or with `enabled: false`. */
  get enabled(): boolean {
    return this.#parts.recorder !== undefined;
  }

  /** Returns a group of functions that share one trace function key, even across files (SPEC 4.2). */
  getFunction(traceFunctionKey: string): FunctionGroup {
    return new FunctionGroup(traceFunctionKey, this.#parts.recorder);
  }

  /**
   * Wraps a function: each call becomes a span, a child of the span that is open at the call.
   *
   * The arguments are the span's input, captured before the function runs. A thrown error is recorded, and the same object is thrown
   * again. `options.name` defaults to the function's name, then to the key; `type` to `custom`. An anonymous function without
   * parameters, `() => fn(x)`, hides the arguments: wrap `fn` itself.
   *
   * @throws InvalidOptionError when the key is blank, an option or the type is unknown, or `fn` is not a function.
   */
  withSpan<F extends AnyFunction>(traceFunctionKey: string, fn: F): F;
  withSpan<F extends AnyFunction>(traceFunctionKey: string, options: SpanOptions<NoInfer<F>>, fn: F): F;
  withSpan(traceFunctionKey: string, ...rest: [AnyFunction] | [SpanOptions, AnyFunction]): AnyFunction {
    const group = this.getFunction(traceFunctionKey);
    return rest.length === 1 ? group.withSpan(rest[0]) : group.withSpan(...rest);
  }

  /**
   * Opens a span that you end yourself, for work that continues in callbacks: `const span = tracer.startSpan('support.answer', { input: [question] })`,
   * later `span.end({ output })` or `span.end({ error })`.
   *
   * It is a child of the open span, and does not become the open span itself. `span.run(fn)` runs `fn` inside it, so that calls in `fn`
   * nest. A span that never ends is sent as `unfinished`. Never throws: `onError` receives invalid options, and the span is recorded
   * without options. With a blank key, nothing is recorded.
   */
  startSpan(traceFunctionKey: string, options: StartSpanOptions = {}): ManualSpan {
    return startManualSpan(this.#parts.recorder, traceFunctionKey, options);
  }

  /** Calls `fn` once inside a span that `definition` describes. For decorators and adapters. */
  run(definition: SpanDefinition, fn: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
    const { recorder } = this.#parts;
    return recorder === undefined
      ? callUnrecorded(definition, fn, self, args)
      : recordCall(recorder, definition, fn, self, args);
  }

  /** Calls `use` with the recorder and returns its result; `undefined` while tracing is off. For packages that extend this one. */
  withRecorder<T>(use: (recorder: Recorder) => T): T | undefined {
    const { recorder } = this.#parts;
    return recorder && use(recorder);
  }

  /**
   * Returns the result of `work`. If it throws, reports the error to `onError` and the logger, and returns `undefined`. For hooks of
   * the application in an adapter, which must not fail the recorded call.
   */
  guard<T>(doing: string, work: () => T): T | undefined {
    return this.#parts.recorder?.guard(doing, work);
  }

  /** Returns the open span; without one, a handle whose members do nothing. */
  getCurrentSpan(): CurrentSpan {
    return getCurrentSpan();
  }

  /** Returns the open trace; without one, a handle whose members do nothing. */
  getCurrentTrace(): CurrentTrace {
    return getCurrentTrace();
  }

  /**
   * Wraps a method of a generated BAML client, so that it records prompt, model and usage on the open span (SPEC 4.2).
   *
   * Use it inside `withSpan` with type `llm`. Supports methods of the client, of its sync form and of `client.stream`. `client` defaults to
   * the option `frameworkClient`. If the function is not a method of the client, or the client's package is not found, it is called directly,
   * and one debug line is logged.
   */
  wrapFramework<F extends AnyFunction>(method: F): F;
  wrapFramework<F extends AnyFunction>(client: unknown, method: F): F;
  wrapFramework<F extends AnyFunction>(...args: [F] | [unknown, F]): F {
    return this.adapters.wrapFramework(...args);
  }

  /**
   * Returns the processor that records runs of `@openai/agents` (SPEC 4.2): `setTraceProcessors([tracer.getAgentsTracingProcessor()])`.
   *
   * Always the same object. Runs inside a span become part of its trace; a run's group id becomes the session id.
   */
  getAgentsTracingProcessor(): AgentsTracingProcessor {
    return this.adapters.agentsProcessor();
  }

  /**
   * Returns the telemetry that records the Vercel AI SDK. Version 7: `registerTelemetry(tracer.getAiSdkTelemetry())`, once. Versions 5 and 6:
   * `experimental_telemetry: tracer.getAiSdkTelemetry()`, or spread, with a `functionId` that becomes the name.
   */
  getAiSdkTelemetry(): AiSdkTelemetry {
    return this.adapters.aiSdkTelemetry();
  }

  /**
   * Returns the handler that records runs of LangChain.js 1.x: `chain.invoke(input, { callbacks: [tracer.getLangChainHandler()] })`.
   *
   * Always the same object. Spans opened inside a run nest under it if LangChain tracks its context
   * (`@langchain/core/context`, LangGraph). A `session_id` or `thread_id` in the metadata becomes the session id.
   */
  getLangChainHandler(): LangChainHandler {
    return this.adapters.langChainHandler();
  }

  /**
   * Records each request of a model vendor's client: `openai` (also Azure, Groq and others with its methods),
   * `@anthropic-ai/sdk`, `@google/genai`, `@aws-sdk/client-bedrock-runtime`, `@mistralai/mistralai`, `cohere-ai`, `ollama` and `@openrouter/sdk`.
   *
   * Returns the same object: streams, helpers, errors, retries and subclasses keep working. Each request is an `llm` span with a key such
   * as `openai.chat.completions.create`, with messages, usage and attempts. A replay answers it like a wrapped function. Methods that call
   * no model are not recorded. While tracing is off, nothing changes.
   *
   * @param options `name`, `provider`, `metadata`, `tags`, `session` and `capture` of all its requests; see {@link withCallOptions}
   * @throws InvalidOptionError when the client is not supported or is frozen, or an option is invalid.
   */
  wrapClient<C extends object>(client: C, options?: ModelCallOptions): C {
    const { recorder } = this.#parts;
    const findRun: Adapters['findLangChainRun'] = (asked) => this.madeAdapters?.findLangChainRun(asked);
    return loadWrapClient().wrapClient(client, { recorder, findRun }, options);
  }

  /**
   * Runs `fn`, and records the requests inside with these options: `withCallOptions({ name: 'summary' }, () => openai.chat.completions.create(…))`.
   *
   * They apply to requests of wrapped clients and models, and override those of `wrapClient`. If nested, the inner ones win; metadata and tags
   * are merged. Throws only what `fn` throws: `onError` receives invalid options, and `fn` runs without them.
   */
  withCallOptions<T>(options: ModelCallOptions, fn: () => T): T {
    const { recorder } = this.#parts;
    const resolved = recorder?.guard('withCallOptions', () => resolveModelCallOptions(options));
    return resolved === undefined ? fn() : runWithModelCallOptions(resolved, fn);
  }

  /**
   * Records the requests of a model object, and answers them from the recording in a replay that mocks: a language model of the AI SDK
   * (`ai` 4 to 7), a chat model of LangChain (`@langchain/core` 0.3 and 1), or a `Model` or `ModelProvider` of `@openai/agents`.
   *
   * Returns the same object. Each request is an `llm` span below the open one, under `ai.doGenerate`, `ai.doStream`, `langchain.generate`,
   * `langchain.stream`, `agents.getResponse` or `agents.getStreamedResponse`. If an adapter or a wrapped client also records the request,
   * its usage counts once. Models that `bindTools`, `withConfig` or `getModel` return are wrapped as well. An unsupported or frozen value is
   * returned unchanged, with one warning. While tracing is off, nothing changes.
   */
  wrapModel<M>(model: M): M {
    const { recorder, reporter } = this.#parts;
    if (recorder === undefined) return model;
    loadWrapModel().wrapModel(model, { recorder, logger: reporter, openRun: this.openLangChainRun });
    return model;
  }

  /**
   * Records the runs of an `Agent` of `@mastra/core` 1: `generate` and `stream` are spans of type `agent`. The spans of its tools and of the
   * requests to its models are inside. A replay answers tools and models, and runs the agent itself.
   *
   * Returns the same object. While tracing is off, nothing changes.
   *
   * @throws InvalidOptionError when `agent` is not a Mastra agent, or is frozen.
   */
  wrapMastraAgent<A extends object>(agent: A): A {
    const { recorder, reporter } = this.#parts;
    const { openLangChainRun: openRun } = this;
    loadWrapMastraAgent().wrapMastraAgent(agent, { recorder, logger: reporter, openRun });
    return agent;
  }

  /**
   * Records the requests of a client of the Model Context Protocol (`@modelcontextprotocol/sdk`): `callTool`, `listTools`, `readResource`,
   * `getPrompt`, `listResources`, `listResourceTemplates`, `listPrompts` and `complete` are spans, and a replay answers them.
   *
   * Returns the same object. Requests carry the span's trace context in `_meta`: a server links or continues the trace with
   * `runWithTraceContext(extra._meta ?? {}, …)` in its handlers. While tracing is off, nothing changes.
   *
   * @throws InvalidOptionError when `client` is not an MCP client, or is frozen.
   */
  wrapMcpClient<C extends object>(client: C): C {
    return loadWrapMcpClient().wrapMcpClient(client, this.#parts.recorder);
  }

  /**
   * Records the sessions of `query` of `@anthropic-ai/claude-agent-sdk`: `const query = tracer.wrapClaudeQuery(sdk.query)`.
   *
   * A call is a span `claude.query` of type `agent`, with a span for each turn and tool. Each model has an `llm` span with its usage and
   * the cost that the SDK reports. The returned query is the SDK's own object. A replay answers the call with the recorded messages and
   * starts no process. While tracing is off, nothing changes.
   *
   * @throws InvalidOptionError when `query` is not a function.
   */
  wrapClaudeQuery<Q extends AnyFunction>(query: Q): Q {
    return loadWrapClaudeQuery().wrapClaudeQuery(query, this.#parts.recorder);
  }

  /**
   * Records a session of OpenAI's Realtime API: an `OpenAIRealtimeWS` of `openai`, or a `RealtimeSession` of `@openai/agents`.
   *
   * Until the session closes, it is a span of type `agent`, with a span for each response (with usage) and for each tool call. Audio is not
   * recorded. Wrap the session before it connects. A replay cannot answer a session, so it connects. While tracing is off, nothing changes.
   *
   * @throws InvalidOptionError when `session` is not a Realtime session.
   */
  wrapRealtime<S extends object>(session: S): S {
    loadWrapRealtime().wrapRealtime(session, this.#parts.recorder);
    return session;
  }

  /**
   * Runs a native function: fetches its active version from the service, and calls the model from this process (SPEC 4.2).
   *
   * Provider keys come only from `envVars`. The call is an `llm` span with the function's name as its key. The version is checked again
   * after 10 seconds; while the service is unreachable, the last known version runs.
   *
   * @throws FunctionNotFoundError, FunctionInputError, FunctionEnvVarMissingError, FunctionProviderError,
   * FunctionOutputError, FunctionSourceError, FunctionRuntimeMissingError, FunctionFailedError
   * @throws TracingDisabledError without a key; InvalidOptionError for an invalid option
   * @throws ServiceResponseError, ServiceUnreachableError when no version is known
   */
  call<N extends NativeFunctionName>(
    functionName: N,
    input: NativeFunctionInput<N>,
    options?: CallOptions,
  ): Promise<NativeFunctionOutput<N>>;
  call<T = unknown, N extends string = string>(
    functionName: UndeclaredName<N>,
    input: object,
    options?: CallOptions,
  ): Promise<T>;
  async call(functionName: string, input: object, options: CallOptions = {}): Promise<unknown> {
    const { recorder, reporter, resolved } = this.#parts;
    const service = await this.serviceFor('Calling a native function');
    const { NativeFunctions } = await import('./functions/native-functions.js');
    this.nativeFunctions ??= new NativeFunctions({ service, envVars: resolved.envVars, recorder, reporter });
    return this.nativeFunctions.call(functionName, input, options);
  }

  /**
   * Replays stored calls with the key through `fn`, and records the result as a test run (SPEC 4.2, 2.8).
   *
   * A replay runs one call per trace: the outermost span with that key, newest trace first. If a call throws, its item has an `error`, and the
   * run continues. A function that is not wrapped is recorded under the key; `(x) => service.fn(x)` may call the wrapped one. With `mock`,
   * wrapped functions inside are answered from the recording, and items list how the inner calls differ from the recorded ones.
   *
   * @throws TracingDisabledError, InvalidOptionError
   * @throws ServiceResponseError, ServiceUnreachableError when the stored calls cannot be fetched.
   */
  replay<F extends AnyFunction>(
    traceFunctionKey: string,
    fn: F,
    options?: RunOptions<FunctionArguments<F>, FunctionOutput<F>>,
  ): Promise<ReplayResult<FunctionArguments<F>, FunctionOutput<F>>>;
  async replay(traceFunctionKey: string, fn: AnyFunction, options: RunOptions = {}): Promise<ReplayResult> {
    if (!this.enabled) throw new TracingDisabledError('Replay');
    return (await this.testRuns()).replay(traceFunctionKey, fn as unknown as Replayable, options);
  }

  /**
   * Runs `fn` on a dataset, stored calls or a list of inputs, scores the outcomes with evaluators, and records the result as a test run. The
   * result has the same form as that of `replay`.
   *
   * While tracing is off, a list is evaluated in memory: the run is not stored, `testRunUrl` is empty, and inner calls, their usage and
   * their cost are unknown.
   *
   * @throws TracingDisabledError while tracing is off, for stored calls and datasets
   * @throws InvalidOptionError; `EvaluationError` for an invalid gate or evaluator
   * @throws ServiceResponseError, ServiceUnreachableError when the run cannot be started
   */
  evaluate<F extends AnyFunction>(
    fn: F,
    options: EvaluateOptions<FunctionArguments<F>, FunctionOutput<F>>,
  ): Promise<ReplayResult<FunctionArguments<F>, FunctionOutput<F>>>;
  async evaluate(fn: AnyFunction, options: EvaluateOptions): Promise<ReplayResult> {
    return (await this.testRuns()).evaluate(fn as unknown as Replayable, options);
  }

  /**
   * Scores the stored outcomes of a finished run again, and replays nothing. A finished run never changes: the result is a new run that
   * refers to it. Outcomes that are not completely stored are `unknown` and have no score.
   *
   * @throws InvalidOptionError without evaluators; TracingDisabledError while tracing is off
   * @throws ServiceResponseError when the run cannot be rescored, such as an unfinished run
   */
  rescore<A extends unknown[] = unknown[], R = unknown>(
    testRunId: string,
    options: RescoreOptions<A, R>,
  ): Promise<ReplayResult<A, R>>;
  async rescore(testRunId: string, options: RescoreOptions): Promise<ReplayResult> {
    return (await this.testRuns()).rescore(testRunId, options);
  }

  /**
   * Scores a trace, a span, a session, or an item of a test run, for a person, a program or an evaluator. The latest score of a name and
   * author counts. Scores are sent like spans, with the same spool files and retries.
   *
   * Never throws: `onError` receives invalid scores, once a minute. Does nothing while tracing is off.
   */
  score(target: ScoreTarget, score: ScoreInput): void {
    this.#parts.recorder?.score(target, score);
  }

  /**
   * Sends all waiting records now.
   *
   * @param timeoutMs how long to wait; default: the request timeout
   * @param options.untilAway stops waiting once the service is known to be unreachable and files store the records; default: false
   * @returns whether no record waits any longer
   */
  flush(timeoutMs?: number, options?: FlushOptions): Promise<boolean> {
    return this.#parts.sink.flush(timeoutMs, options);
  }

  /**
   * Sends all waiting records, and open spans as `unfinished`, then stops sending until a late span ends. If the service is known to be
   * unreachable and files store the records, it returns immediately. Idempotent; late spans are still recorded. Never throws.
   */
  async shutdown(timeoutMs?: number): Promise<void> {
    unregisterTracer(this);
    if (this.#parts.recorder !== undefined) releaseSubscribersContext(this.#parts.recorder);
    await this.#parts.openSpans.sendAll();
    await this.#parts.sink.shutdown(timeoutMs);
  }

  /** Counts of records: always `recorded = delivered + waiting + dropped`. */
  stats(): DeliveryStats {
    return this.#parts.sink.stats();
  }

  /** Loaded on first use, because most applications only record. */
  private async testRuns(): Promise<TestRuns> {
    const { TestRuns } = await import('./test-runs.js');
    return new TestRuns({
      isRecorded: this.enabled,
      record: (key, plain) => this.withSpan(key, plain),
      flush: (timeoutMs) => this.flush(timeoutMs),
      assembly: this.#parts,
      options: this.#options,
      serviceFor: (operation) => this.serviceFor(operation),
    });
  }

  private readonly openLangChainRun = (runId: string): ActiveSpan | undefined =>
    this.madeAdapters?.openLangChainRun(runId);

  private get adapters(): Adapters {
    if (this.madeAdapters !== undefined) return this.madeAdapters;
    const { Adapters } = loadAdapters();
    const { recorder, reporter } = this.#parts;
    return (this.madeAdapters = new Adapters({
      recorder,
      logger: reporter,
      frameworkClient: this.#options.frameworkClient,
      flush: () => this.flush(),
    }));
  }

  /** @throws TracingDisabledError without a key */
  private async serviceFor(operation: string): Promise<ServiceClient> {
    const { resolved } = this.#parts;
    if (resolved.apiKey === '') throw new TracingDisabledError(operation);
    const { ServiceClient } = await import('./service/service-client.js');
    return new ServiceClient(resolved);
  }
}
