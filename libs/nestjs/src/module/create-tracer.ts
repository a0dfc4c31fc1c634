import { Logger } from '@nestjs/common';
import { Tracer } from '@dacapo/tracer';
import { readEnvironment } from '../environment.js';
import { InvalidModuleOptionError } from '../errors.js';
import type { TracerModuleOptions } from './module-options.js';
import { isTestTracer } from './test-tracer.js';

/**
 * The tracer of a module: that of the test, else the one given, else a new one.
 *
 * @throws InvalidModuleOptionError when the options are no object
 * @throws InvalidOptionError when an option has a value that cannot work
 */
export function createTracer(options: TracerModuleOptions, test?: unknown): Tracer {
  if (isTestTracer(test)) return test.tracer;
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw new InvalidModuleOptionError(
      'useFactory',
      `must return an object, not ${given === null ? 'null' : typeof given}`,
      'Return the options of TracerModule, or {} for the defaults.',
    );
  }
  const { tracer, ...own } = options;
  if (tracer !== undefined) return tracer;
  const { apiKey, serviceUrl } = readEnvironment();
  return new Tracer({
    logger: new Logger('Tracer'),
    ...own,
    apiKey: own.apiKey ?? apiKey,
    serviceUrl: own.serviceUrl ?? serviceUrl,
  });
}
