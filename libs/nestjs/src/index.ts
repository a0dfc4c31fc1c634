export { InvalidModuleOptionError, MisplacedDecoratorError, NestjsTracerError } from './errors.js';
export {
  type AgentsPackage,
  type AgentsTracingOptions,
  AgentsTracingModule,
} from './agents/agents-tracing.module.js';
export {
  type ClientFactory,
  type TracedClientAsyncOptions,
  TracedClientModule,
  type TracedClientOptions,
} from './clients/traced-client.module.js';
export { TracerHealthIndicator, type TracerHealthOptions } from './health/tracer.health-indicator.js';
export type {
  TracerModuleAsyncOptions,
  TracerModuleExtras,
  TracerModuleOptions,
  TracerOptionsFactory,
} from './module/module-options.js';
export { TracerModule } from './module/tracer.module.js';
export { type AxiosLike, propagateThroughAxios } from './propagation/axios.js';
export {
  type ClientPropagation,
  type ClientProxyLike,
  propagateThroughClient,
} from './propagation/client-proxy.js';
export { createTracedFetch } from './propagation/fetch.js';
export { propagateThroughQueue, type QueueLike } from './propagation/jobs.js';
export {
  createReplayContext,
  type ReplayContext,
  type ReplayContextOptions,
} from './replay/context/create-replay-context.js';
export type { LeftOut } from './replay/left-out.js';
export type { StartedWork } from './replay/starters.js';
export { MethodForKeyError, NotTracedError, ReplayClassError, ReplayContextError } from './replay/errors.js';
export type { ReplayableMethod } from './replay/find-method.js';
export type {
  MethodArguments,
  MethodName,
  MethodOutput,
  ServiceEvaluateOptions,
  ServiceReplayOptions,
} from './replay/replay-options.js';
export { ReplayService } from './replay/replay.service.js';
export type { PropagateOptions, RequestNotes, RequestOptions } from './request-options.js';
export { TracerInterceptor } from './requests/tracer.interceptor.js';
export { getDatasetsToken, getIndexesToken, getTracerToken } from './tokens.js';
export { InjectTracer } from './tracing/inject-tracer.decorator.js';
export { NoTrace } from './tracing/no-trace.decorator.js';
export { Traced } from './tracing/traced.decorator.js';
export type { TracedOptions } from './tracing/traced-options.js';
export { DatasetsClient, IndexesClient, Tracer } from '@dacapo/tracer';
