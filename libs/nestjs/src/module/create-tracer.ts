import { Logger } from '@nestjs/common';
import { Tracer, type TracerOptions } from '@dacapo/tracer';
import { TRACER_OPTIONS, unregisterTracer } from '@dacapo/tracer/internal';
import { checkModuleOptions } from './check-module-options.js';
import type { TracerModuleOptions } from './module-options.js';
import { isTestTracer } from './test-tracer.js';

/**
 * Returns the tracer of the test if there is one, else the given one, else a new one.
 *
 * @throws InvalidModuleOptionError, InvalidOptionError
 */
export function createTracer(options: TracerModuleOptions, test?: unknown): Tracer {
  checkModuleOptions(options);
  if (isTestTracer(test)) return test.tracer;
  if (options.tracer !== undefined) return options.tracer;
  const environment = readEnvironment();
  const tracer = new Tracer({
    logger: new Logger('Tracer'),
    ...pickTracerOptions(options),
    apiKey: options.apiKey ?? environment.apiKey,
    serviceUrl: options.serviceUrl ?? environment.serviceUrl,
  });
  // `onModuleInit` registers it again. It never runs in an application that fails to start.
  unregisterTracer(tracer);
  return tracer;
}

/** Key and address from the environment. An empty variable counts as absent. */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
): Pick<TracerOptions, 'apiKey' | 'serviceUrl'> {
  const { TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: serviceUrl } = env;
  return { ...(apiKey && { apiKey }), ...(serviceUrl && { serviceUrl }) };
}

/** Drops the module's own options and those that are `undefined`. Reads by name, because a class may have getters. */
function pickTracerOptions(options: TracerModuleOptions): TracerOptions {
  const fields = options as Readonly<Record<string, unknown>>;
  const entries = Object.keys(TRACER_OPTIONS).map((name) => [name, fields[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
