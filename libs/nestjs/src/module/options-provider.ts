import type { Provider } from '@nestjs/common';
import { InvalidModuleOptionError } from '../errors.js';
import { MODULE_OPTIONS } from '../tokens.js';
import type { TracerModuleAsyncOptions, TracerOptionsFactory } from './module-options.js';

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
  if (useFactory !== undefined) return [{ provide: MODULE_OPTIONS, useFactory, inject }];
  const factory = (useClass ?? useExisting) as NonNullable<typeof useExisting>;
  return [
    ...(useClass === undefined ? [] : [useClass]),
    {
      provide: MODULE_OPTIONS,
      useFactory: (made: TracerOptionsFactory) => made.createTracerOptions(),
      inject: [factory],
    },
  ];
}
