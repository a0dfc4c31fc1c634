import { Logger } from '@nestjs/common';
import { Tracer, type TracerOptions } from '@dacapo/tracer';
import { TRACER_OPTIONS, unregisterTracer } from '@dacapo/tracer/internal';
import { readEnvironment } from '../environment.js';
import { checkModuleOptions } from './check-module-options.js';
import type { TracerModuleOptions } from './module-options.js';
import { isTestTracer } from './test-tracer.js';

/**
 * The tracer of a module: that of the test, else the one given, else a new one.
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
    ...tracerOptionsOf(options),
    apiKey: options.apiKey ?? environment.apiKey,
    serviceUrl: options.serviceUrl ?? environment.serviceUrl,
  });
  // Of an application whose start fails nobody hears again: it is alive from `onModuleInit` on.
  unregisterTracer(tracer);
  return tracer;
}

/** Those that are given, without those of the module itself; the getters of a class are options too. */
function tracerOptionsOf(options: TracerModuleOptions): TracerOptions {
  const given = options as Readonly<Record<string, unknown>>;
  const entries = Object.keys(TRACER_OPTIONS).map((name) => [name, given[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
