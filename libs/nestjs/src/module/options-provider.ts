import type { Provider } from '@nestjs/common';
import { resolveAsyncFactory } from '../async-factory.js';
import { MODULE_OPTIONS_TOKEN, TEST_TRACER_TOKEN } from '../tokens.js';
import type { TracerModuleAsyncOptions, TracerModuleOptions } from './module-options.js';
import { isTestTracer } from './test-tracer.js';

/**
 * The providers that make the options of `forRootAsync`. With `TracerTestingModule`, no factory runs: a test has no key.
 *
 * @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given
 */
export function provideOptions(options: TracerModuleAsyncOptions): Provider[] {
  const { make, inject, providers } = resolveAsyncFactory(options, (factory) =>
    factory.createTracerOptions(),
  );
  return [
    ...providers,
    {
      provide: MODULE_OPTIONS_TOKEN,
      useFactory: async (test: unknown, ...dependencies: unknown[]) =>
        isTestTracer(test) ? test.requests : withHiddenSecrets(await make(...dependencies)),
      inject: [{ token: TEST_TRACER_TOKEN, optional: true }, ...inject],
    },
  ];
}

const SECRETS = ['apiKey', 'envVars', 'delivery'] as const;

/**
 * Copies the options and hides their secrets from printing and copying, because the container keeps the options as long as
 * the application runs. Code reads the secrets by name. Instances of classes stay as they are.
 */
export function withHiddenSecrets<T extends TracerModuleOptions>(options: T): T {
  const value: unknown = options;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return options;
  const copy = { ...options };
  for (const name of SECRETS) {
    const value = copy[name];
    if (value !== undefined) Object.defineProperty(copy, name, { enumerable: false, get: () => value });
  }
  return copy;
}
