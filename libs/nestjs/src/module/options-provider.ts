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
    useFactory: (test: unknown, ...dependencies: unknown[]) =>
      isTestTracer(test) ? test.requests : makeOptions(...dependencies),
    inject: [{ token: TEST_TRACER, optional: true }, ...inject],
  };
}
