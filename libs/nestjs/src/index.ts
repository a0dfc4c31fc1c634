export { InvalidModuleOptionError, MisplacedDecoratorError, NestjsTracerError } from './errors.js';
export type {
  TracerModuleAsyncOptions,
  TracerModuleExtras,
  TracerModuleOptions,
  TracerOptionsFactory,
} from './module/module-options.js';
export { TracerModule } from './module/tracer.module.js';
export { NotTracedError } from './replay/errors.js';
export { type MethodName, ReplayService, type ServiceReplayOptions } from './replay/replay.service.js';
export { TracerInterceptor } from './requests/tracer.interceptor.js';
export { getIndexesToken, getTracerToken } from './tokens.js';
export { InjectTracer } from './tracing/inject-tracer.decorator.js';
export { Traced } from './tracing/traced.decorator.js';
export type { TracedOptions } from './tracing/traced-options.js';
export { IndexesClient, Tracer } from '@dacapo/tracer';
