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
import type { GivenScore, ScoreTarget } from './context/given-score.js';
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
import type { ArgumentsOf, OutputOf } from './function-types.js';
import type { EvaluateOptions } from './options/evaluate-options.js';
import type { RunOptions } from './options/replay-options.js';
import type { RescoreOptions } from './options/rescore-options.js';
import type { ReplayResult } from './replay-types.js';
import type { ServiceClient } from './service/service-client.js';
import type { SpanOptions, StartSpanOptions } from './options/span-options.js';
import type { TestRuns } from './test-runs.js';
import type { TracerParts } from './tracer-parts.js';

/**
 * Records calls of AI functions and plays them again (SPEC 4.2).
 *
 * One for each application is enough. It works in the background: nothing it does changes what a wrapped function
 * returns or throws. A missing, empty or blank `apiKey` turns tracing off with one warning.
 */
export class Tracer {
  /** The catalogue of indexed services. */
  readonly indexes: IndexesClient;

  /** Named sets of examples, in versions that never change. */
  readonly datasets: DatasetsClient;

  /** Neither is shown when the tracer is printed: they hold the key and those of model providers. */
  readonly #options: TracerOptions;
  readonly #parts: TracerAssembly;
  private madeAdapters: Adapters | undefined;
  private nativeFunctions: NativeFunctions | undefined;

  /** @throws InvalidOptionError when an option has a value that cannot work; never for a missing key. */
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

  /** Whether calls are recorded: there is a key, and `enabled` was not false. */
  get enabled(): boolean {
    return this.#parts.recorder !== undefined;
  }

  /** A group of functions that share one trace function key, in whatever files they stand (SPEC 4.2). */
  getFunction(traceFunctionKey: string): FunctionGroup {
    return new FunctionGroup(traceFunctionKey, this.#parts.recorder);
  }

  /**
   * The same function, recorded: each call becomes a span, a child of the span that is open where it is called.
   *
   * Arguments are the span's input, captured before the function runs. A thrown error is recorded and thrown again,
   * the same object. `options.name` defaults to the function's own name, else to the key; `type` to `custom`.
   * An anonymous function without parameters, `() => fn(x)`, hides the arguments: wrap `fn` itself.
   *
   * @throws InvalidOptionError when the key is blank, an option or the type is unknown, or there is no function.
   */
  withSpan<F extends AnyFunction>(traceFunctionKey: string, fn: F): F;
  withSpan<F extends AnyFunction>(traceFunctionKey: string, options: SpanOptions<NoInfer<F>>, fn: F): F;
  withSpan(traceFunctionKey: string, ...rest: [AnyFunction] | [SpanOptions, AnyFunction]): AnyFunction {
    const group = this.getFunction(traceFunctionKey);
    return rest.length === 1 ? group.withSpan(rest[0]) : group.withSpan(...rest);
  }

  /**
   * Opens a span that you end yourself, for work that goes on in callbacks: `const span = tracer.startSpan('support.answer', { input: [question] })`,
   * later `span.end({ output })` or `span.end({ error })`.
   *
   * It is a child of the span that is open here, and does not become the open span: `span.run(fn)` runs `fn` inside, so that its calls
   * nest. A span that never ends is sent as `unfinished`. Never throws; what cannot work is told to `onError`, and the span is recorded
   * without its options, or not at all where the key is blank.
   */
  startSpan(traceFunctionKey: string, options: StartSpanOptions = {}): ManualSpan {
    return startManualSpan(this.#parts.recorder, traceFunctionKey, options);
  }

  /** Calls `fn` once inside a span that `definition` describes; what decorators and adapters build on. */
  run(definition: SpanDefinition, fn: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
    const { recorder } = this.#parts;
    return recorder === undefined
      ? callUnrecorded(definition, fn, self, args)
      : recordCall(recorder, definition, fn, self, args);
  }

  /** What `use` makes with the recorder; `undefined` while tracing is off. For packages that build on this one. */
  withRecorder<T>(use: (recorder: Recorder) => T): T | undefined {
    const { recorder } = this.#parts;
    return recorder && use(recorder);
  }

  /**
   * What `work` gives; `undefined` when it throws, which `onError` and the logger are told. For code that the
   * application gave to an adapter: it must not fail the call that is recorded.
   */
  guard<T>(doing: string, work: () => T): T | undefined {
    return this.#parts.recorder?.guard(doing, work);
  }

  /** The open span; outside one, a handle whose members do nothing. */
  getCurrentSpan(): CurrentSpan {
    return getCurrentSpan();
  }

  /** The open trace; outside one, a handle whose members do nothing. */
  getCurrentTrace(): CurrentTrace {
    return getCurrentTrace();
  }

  /**
   * The same method of a generated BAML client, noting its prompt, model and usage on the open span (SPEC 4.2).
   *
   * Made to stand inside `withSpan` with type `llm`. Takes methods of the client, its sync form and `client.stream`;
   * `client` defaults to the option `frameworkClient`. A function that is no method of the client, or a client whose
   * package cannot be found, is called as it is, with one debug line.
   */
  wrapFramework<F extends AnyFunction>(method: F): F;
  wrapFramework<F extends AnyFunction>(client: unknown, method: F): F;
  wrapFramework<F extends AnyFunction>(...args: [F] | [unknown, F]): F {
    return this.adapters.wrapFramework(...args);
  }

  /**
   * The processor that records runs of `@openai/agents` (SPEC 4.2): `setTraceProcessors([tracer.getAgentsTracingProcessor()])`.
   *
   * Always the same one. Runs inside a span become part of its trace; a run's group id becomes the session id.
   */
  getAgentsTracingProcessor(): AgentsTracingProcessor {
    return this.adapters.agentsProcessor();
  }

  /**
   * What records the Vercel AI SDK. Version 7: `registerTelemetry(tracer.getAiSdkTelemetry())`, once. Versions 5 and 6:
   * `experimental_telemetry: tracer.getAiSdkTelemetry()`, or spread, with a `functionId` that becomes the name.
   */
  getAiSdkTelemetry(): AiSdkTelemetry {
    return this.adapters.aiSdkTelemetry();
  }

  /**
   * The handler that records runs of LangChain.js 1.x: `chain.invoke(input, { callbacks: [tracer.getLangChainHandler()] })`.
   *
   * Always the same one. Spans opened inside a run nest under it where LangChain knows its context
   * (`@langchain/core/context`, LangGraph). A `session_id` or `thread_id` in the metadata becomes the session id.
   */
  getLangChainHandler(): LangChainHandler {
    return this.adapters.langChainHandler();
  }

  /**
   * Records each request of a model vendor's own client: of `openai` (Azure, Groq and others that have its methods too),
   * `@anthropic-ai/sdk`, `@google/genai`, `@aws-sdk/client-bedrock-runtime`, `@mistralai/mistralai`, `cohere-ai`, `ollama` and `@openrouter/sdk`.
   *
   * The same object comes back: streams, helpers, errors, retries and subclasses go on as they are. Each request is an
   * `llm` span under `openai.chat.completions.create` and its like, with messages, usage and tries, and is answered
   * in a replay as wrapped functions are. Methods that ask no model are not recorded. While tracing is off nothing changes.
   *
   * @param options `name`, `provider`, `metadata`, `tags`, `session` and `capture` of all its requests; see {@link withCallOptions}
   * @throws InvalidOptionError when it is no client that is known, or is frozen, or an option cannot work.
   */
  wrapClient<C extends object>(client: C, options?: ModelCallOptions): C {
    const { recorder } = this.#parts;
    const findRun: Adapters['findLangChainRun'] = (asked) => this.madeAdapters?.findLangChainRun(asked);
    return loadWrapClient().wrapClient(client, { recorder, findRun }, options);
  }

  /**
   * Runs `fn`, and records the requests inside with these options: `withCallOptions({ name: 'summary' }, () => openai.chat.completions.create(…))`.
   *
   * They hold for requests of wrapped clients and models, over those of `wrapClient`; nested, the inner ones win, metadata are joined and
   * tags add up. Never throws by itself; options that cannot work are reported to `onError`, and `fn` runs without them.
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
   * `langchain.stream`, `agents.getResponse` or `agents.getStreamedResponse`. Where an adapter or a wrapped client records the request too,
   * its usage counts once. Models that `bindTools`, `withConfig` or `getModel` return are wrapped as well. A value that is no such
   * model, or is frozen, is returned as it is, with one warning. While tracing is off nothing changes.
   */
  wrapModel<M>(model: M): M {
    const { recorder, reporter } = this.#parts;
    if (recorder === undefined) return model;
    loadWrapModel().wrapModel(model, { recorder, logger: reporter, openRun: this.openLangChainRun });
    return model;
  }

  /**
   * Records the runs of an `Agent` of `@mastra/core` 1: `generate` and `stream` are spans of type `agent`, with its tools and the requests
   * to its models inside. A replay answers tools and models, and runs the agent itself.
   *
   * The same object comes back. While tracing is off nothing changes.
   *
   * @throws InvalidOptionError when it is no such agent, or is frozen.
   */
  wrapMastraAgent<A extends object>(agent: A): A {
    const { recorder, reporter } = this.#parts;
    const { openLangChainRun: openRun } = this;
    loadWrapMastraAgent().wrapMastraAgent(agent, { recorder, logger: reporter, openRun });
    return agent;
  }

  /**
   * Records what a client of the Model Context Protocol (`@modelcontextprotocol/sdk`) asks: `callTool`, `listTools`, `readResource`,
   * `getPrompt`, `listResources`, `listResourceTemplates`, `listPrompts` and `complete` are spans, and a replay answers them.
   *
   * The same object comes back. The position of the span travels in `_meta`: a server links or continues the trace by
   * `runWithTraceContext(extra._meta ?? {}, …)` in its handlers. While tracing is off nothing changes.
   *
   * @throws InvalidOptionError when it is no such client, or is frozen.
   */
  wrapMcpClient<C extends object>(client: C): C {
    return loadWrapMcpClient().wrapMcpClient(client, this.#parts.recorder);
  }

  /**
   * Records the sessions of `query` of `@anthropic-ai/claude-agent-sdk`: `const query = tracer.wrapClaudeQuery(sdk.query)`.
   *
   * A call is a span `claude.query` of type `agent`, with a span for each turn and tool, and an `llm` span for each model with its usage
   * and the cost that the SDK reports. The query that it returns is the SDK's own object. A replay answers the call with the recorded
   * messages and starts no process. While tracing is off nothing changes.
   *
   * @throws InvalidOptionError when it is no function.
   */
  wrapClaudeQuery<Q extends AnyFunction>(query: Q): Q {
    return loadWrapClaudeQuery().wrapClaudeQuery(query, this.#parts.recorder);
  }

  /**
   * Records a session of OpenAI's Realtime API: an `OpenAIRealtimeWS` of `openai`, or a `RealtimeSession` of `@openai/agents`.
   *
   * From here until it is closed it is a span of type `agent`, with a span for each response, which has its usage, and each call of a tool.
   * Audio is not recorded. A replay cannot answer a session: it connects. Wrap it before it connects. While tracing is off
   * nothing changes.
   *
   * @throws InvalidOptionError when it is no such session.
   */
  wrapRealtime<S extends object>(session: S): S {
    loadWrapRealtime().wrapRealtime(session, this.#parts.recorder);
    return session;
  }

  /**
   * Runs a native function: its active version is fetched from the service, the call goes out from this process (SPEC 4.2).
   *
   * Provider keys come from `envVars` alone. The call is an `llm` span under the function's name. A version is asked
   * for again after 10 seconds; while the service is away the last known one goes on.
   *
   * @throws FunctionNotFoundError, FunctionInputError, FunctionEnvVarMissingError, FunctionProviderError,
   * FunctionOutputError, FunctionSourceError, FunctionRuntimeMissingError, FunctionFailedError
   * @throws TracingDisabledError without a key; InvalidOptionError for an option that cannot work
   * @throws ServiceResponseError, ServiceUnreachableError when there is no version to go on with
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
   * Plays stored calls of the key again through `fn`, and records the outcome as a test run (SPEC 4.2, 2.8).
   *
   * Of each trace the outermost call of the key is played, the newest trace first. A call that throws is an item
   * with its `error`; the others go on. `fn` is recorded under the key if it is not wrapped already; `(x) => service.fn(x)` may
   * hand on to the wrapped one. With `mock`, wrapped functions below it are answered from the recording, and the items
   * tell how the calls differ from the recorded ones.
   *
   * @throws TracingDisabledError, InvalidOptionError
   * @throws ServiceResponseError, ServiceUnreachableError when the stored calls cannot be had.
   */
  replay<F extends AnyFunction>(
    traceFunctionKey: string,
    fn: F,
    options?: RunOptions<ArgumentsOf<F>, OutputOf<F>>,
  ): Promise<ReplayResult<ArgumentsOf<F>, OutputOf<F>>>;
  async replay(traceFunctionKey: string, fn: AnyFunction, options: RunOptions = {}): Promise<ReplayResult> {
    if (!this.enabled) throw new TracingDisabledError('Replay');
    return (await this.testRuns()).replay(traceFunctionKey, fn as unknown as Replayable, options);
  }

  /**
   * Plays stored calls, or a list of inputs, through `fn`, lets evaluators judge what comes of them, and records the
   * outcome as a test run. It is `replay` for other data than the calls of one key; the result is of the same form.
   *
   * While tracing is off, a list is evaluated in memory: no service stores the run, `testRunUrl` is empty, and the calls inside each
   * item, their usage and their costs are unknown.
   *
   * @throws TracingDisabledError while tracing is off, for stored calls and datasets
   * @throws InvalidOptionError, and `EvaluationError` for a gate or evaluators that cannot work
   * @throws ServiceResponseError, ServiceUnreachableError when the run cannot be started
   */
  evaluate<F extends AnyFunction>(
    fn: F,
    options: EvaluateOptions<ArgumentsOf<F>, OutputOf<F>>,
  ): Promise<ReplayResult<ArgumentsOf<F>, OutputOf<F>>>;
  async evaluate(fn: AnyFunction, options: EvaluateOptions): Promise<ReplayResult> {
    return (await this.testRuns()).evaluate(fn as unknown as Replayable, options);
  }

  /**
   * Lets evaluators judge the stored outcomes of a finished run, without playing anything. A finished run never changes: the result
   * is a new run, which names that one. Outcomes that are not stored as a whole are `unknown` and have no score.
   *
   * @throws InvalidOptionError without evaluators; TracingDisabledError while tracing is off; what keeps the run from starting, such as a run
   *   that is not finished
   */
  rescore<A extends unknown[] = unknown[], R = unknown>(
    testRunId: string,
    options: RescoreOptions<A, R>,
  ): Promise<ReplayResult<A, R>>;
  async rescore(testRunId: string, options: RescoreOptions): Promise<ReplayResult> {
    return (await this.testRuns()).rescore(testRunId, options);
  }

  /**
   * Gives a score to a trace, a span of it, a session, or an item of a test run: what a person, a program or an evaluator says
   * of it. Of one name and author the latest counts. It travels as spans do, and survives what they survive.
   *
   * Never throws: what cannot be sent is told to `onError`, once a minute. Does nothing while tracing is off.
   */
  score(target: ScoreTarget, score: GivenScore): void {
    this.#parts.recorder?.score(target, score);
  }

  /**
   * Sends what waits now.
   *
   * @param timeoutMs how long to wait for it; default: the request timeout
   * @param options.untilAway waits no longer once the service is known to be away and files keep what waits; default: false
   * @returns whether nothing waits any more
   */
  flush(timeoutMs?: number, options?: FlushOptions): Promise<boolean> {
    return this.#parts.sink.flush(timeoutMs, options);
  }

  /**
   * Sends what waits, open spans as `unfinished`, and stops: no more attempts are made until a late span comes. When the
   * service is known to be away and files keep what waits, it returns at once. Idempotent; late spans are still taken.
   * Never throws.
   */
  async shutdown(timeoutMs?: number): Promise<void> {
    unregisterTracer(this);
    if (this.#parts.recorder !== undefined) releaseSubscribersContext(this.#parts.recorder);
    await this.#parts.openSpans.sendAll();
    await this.#parts.sink.shutdown(timeoutMs);
  }

  /** What became of the records so far: `recorded = delivered + waiting + dropped`, always. */
  stats(): DeliveryStats {
    return this.#parts.sink.stats();
  }

  /** An application that only records never loads it. */
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
