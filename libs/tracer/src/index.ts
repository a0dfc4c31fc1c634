export type { AiSdkTelemetry } from './adapters/ai-sdk/ai-sdk-types.js';
export type { LangChainHandler } from './adapters/langchain/langchain-types.js';
export type {
  AgentsSpan,
  AgentsTrace,
  AgentsTracingProcessor,
} from './adapters/openai-agents/agents-types.js';
export { bind } from './context/bind.js';
export type { Clock } from './context/clock.js';
export type { CurrentSpan, CurrentTrace, SpanUsage } from './context/current-span.js';
export type { ScoreInput, ScoreDetails, ScoreTarget, ScoreValue } from './context/score-input.js';
export { getCurrentSpan, getCurrentTrace } from './context/handles.js';
export { injectTraceContext } from './context/propagation.js';
export type { DatasetEntry, DatasetExample } from './datasets/dataset-entry.js';
export type { ChangeOptions, RunItemSelection } from './datasets/add-to-dataset.js';
export { type AddedToDataset, DatasetsClient } from './datasets/datasets-client.js';
export type { DeliveryStats, FlushOptions } from './delivery/record-sink.js';
export type { TracerLogger } from './diagnostics/logger.js';
export { InvalidOptionError, TracerError, TracingDisabledError } from './errors.js';
export { FunctionGroup } from './function-group.js';
export type { FunctionArguments, FunctionOutput } from './function-types.js';
export {
  FunctionEnvVarMissingError,
  FunctionFailedError,
  FunctionInputError,
  FunctionNotFoundError,
  FunctionOutputError,
  FunctionProviderError,
  FunctionRuntimeMissingError,
  FunctionSourceError,
  FunctionVersionUncheckedError,
} from './functions/errors.js';
export type { NativeFunctionTypes } from './functions/native-function-types.js';
export type { GetContextOptions } from './indexes/context-request.js';
export { IndexesClient } from './indexes/indexes-client.js';
export type { CallOptions, ModelClient } from './options/call-options.js';
export type { CaptureOptions, Codec } from './options/capture-options.js';
export {
  defineEval,
  type EvalData,
  type EvalDefinition,
  type EvalItem,
  type EvalRows,
} from './define-eval.js';
export type { ConnectionOptions } from './options/connection-options.js';
export type { DeliveryOptions } from './options/delivery-options.js';
export type {
  RecordedCalls,
  DatasetItems,
  EvaluateOptions,
  EvaluationData,
  EvaluationItem,
} from './options/evaluate-options.js';
export type {
  Carrier,
  IncomingMode,
  IncomingOption,
  IncomingRule,
  IncomingTransport,
} from './options/incoming-option.js';
export type { ModelCallOptions, ModelCaptureOptions } from './options/model-call-options.js';
export type { ReplayOptions, RunOptions } from './options/replay-options.js';
export type { RescoreOptions } from './options/rescore-options.js';
export type {
  FunctionBaseline,
  OnMockMiss,
  ExecutionOptions,
  ReplayMock,
  RunBaseline,
  StartedRun,
  UntypedRunOptions,
} from './options/run-options.js';
export type { SelectionOptions } from './options/selection-options.js';
export type { SpanOptions, StartSpanOptions } from './options/span-options.js';
export type { ManualSpan, SpanOutcome } from './recording/manual-span.js';
export { DEFAULT_SERVICE_URL, type TracerOptions } from './options/tracer-options.js';
export {
  runWithoutTracing,
  runWithTraceContext,
  type TraceContextOptions,
} from './recording/trace-context.js';
export {
  CallNotFoundError,
  CallNotReplayableError,
  EvaluatorTimeoutError,
  NetworkDeniedError,
  RecordingTooLargeError,
  ReplayMockMissError,
  ReplayTimeoutError,
  SourceDeletedError,
} from './replay/errors.js';
export type { ReplayDivergence, ReplayItem, ReplayResult, ReplaySource } from './replay-types.js';
export { ServiceResponseError, ServiceUnreachableError } from './service/errors.js';
export { Tracer } from './tracer.js';
export type { ContextResult, IndexedService, IndexType, SpanType } from '@dacapo/protocol';
