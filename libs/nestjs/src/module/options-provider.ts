import type { FactoryProvider, Provider } from '@nestjs/common';
import { InvalidModuleOptionError } from '../errors.js';
import { MODULE_OPTIONS, TEST_TRACER } from '../tokens.js';
import { isTestTracer } from './test-tracer.js';
import type {
  TracerModuleAsyncOptions,
  TracerModuleOptions,
  TracerOptionsFactory,
} from './module-options.js';

const CURE = 'Give forRootAsync exactly one of useFactory, useClass and useExisting.';

/**
 * The providers that make the options of `forRootAsync`.
 *
 * @throws InvalidModuleOptionError when there is no way to make them, or more than one
 */
export function provideOptions(options: TracerModuleAsyncOptions): Provider[] {
  const { useFactory, useClass, useExisting, inject = [] } = options;
  const given = [useFactory, useClass, useExisting].filter((way) => way !== undefined).length;
  if (given !== 1) {
    throw new InvalidModuleOptionError(
      'useFactory',
      given === 0 ? 'is missing' : 'is not the only one',
      CURE,
    );
  }
  if (useFactory !== undefined)
    return [unlessTested((...dependencies) => useFactory(...(dependencies as never[])), inject)];
  const factory = (useClass ?? useExisting) as NonNullable<typeof useExisting>;
  return [
    ...(useClass === undefined ? [] : [useClass]),
    unlessTested((made) => (made as TracerOptionsFactory).createTracerOptions(), [factory]),
  ];
}

/** Under `TracerTestingModule` nothing of the application is asked: a test has no key, and needs none. */
function unlessTested(
  makeOptions: (...dependencies: unknown[]) => TracerModuleOptions | Promise<TracerModuleOptions>,
  inject: FactoryProvider['inject'] = [],
): Provider {
  return {
    provide: MODULE_OPTIONS,
    useFactory: async (test: unknown, ...dependencies: unknown[]) =>
      isTestTracer(test) ? test.requests : withHiddenSecrets(await makeOptions(...dependencies)),
    inject: [{ token: TEST_TRACER, optional: true }, ...inject],
  };
}

const SECRETS = ['apiKey', 'envVars', 'delivery'] as const;

/**
 * The same options, whose secrets are read by name and shown by nothing that prints or copies, not even what prints hidden
 * properties: the container keeps them
 * for as long as the application runs. Those that a class makes, or are no object, are left as they are.
 */
export function withHiddenSecrets<T extends TracerModuleOptions>(options: T): T {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype)
    return options;
  const copy = { ...options };
  for (const name of SECRETS) {
    const value = copy[name];
    if (value !== undefined) Object.defineProperty(copy, name, { enumerable: false, get: () => value });
  }
  return copy;
}
