import { findUnknownOption, TRACER_OPTION_NAMES } from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';
import type { TracerModuleAsyncOptions, TracerModuleExtras, TracerModuleOptions } from './module-options.js';

/** In what `useFactory` returns these come too late. */
const EXTRAS = ['name', 'isGlobal', 'interceptor'] as const satisfies (keyof TracerModuleExtras)[];

const OWN = ['tracer', 'requests', 'exclude', 'enrich'] as const satisfies (keyof TracerModuleOptions)[];

const ASYNC = [
  'imports',
  'inject',
  'useFactory',
  'useClass',
  'useExisting',
] as const satisfies (keyof TracerModuleAsyncOptions)[];

/** @throws InvalidModuleOptionError when `forRootAsync` is given an option that nothing reads */
export function checkAsyncOptionNames(options: TracerModuleAsyncOptions): void {
  refuseUnknown(options, [...ASYNC, ...EXTRAS]);
}

/** @throws InvalidModuleOptionError whose message ends with the cure */
export function checkModuleOptions(options: TracerModuleOptions, extras: TracerModuleExtras): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw new InvalidModuleOptionError(
      'useFactory',
      `must return an object, not ${given === null ? 'null' : typeof given}`,
      'Return the options of TracerModule, or {} for the defaults.',
    );
  }
  for (const extra of EXTRAS) {
    if (extra in options) {
      throw new InvalidModuleOptionError(
        extra,
        'came from the factory, when the module was defined already',
        `Write it beside useFactory: forRootAsync({ ${extra}, useFactory }).`,
      );
    }
  }
  refuseUnknown(options, [...TRACER_OPTION_NAMES, ...OWN, ...EXTRAS]);
  checkRequests(options.requests);
  for (const hook of ['exclude', 'enrich'] as const) checkHook(hook, options[hook]);
  if (options.tracer !== undefined) checkTracer(options);
  if (options.enrich !== undefined && extras.interceptor === undefined) {
    throw new InvalidModuleOptionError(
      'enrich',
      'came from the factory, when it was too late to register the interceptor that calls it',
      'Add interceptor: true beside useFactory, or interceptor: false if TracerInterceptor is registered elsewhere.',
    );
  }
}

function refuseUnknown(options: object, names: readonly string[]): void {
  const unknown = findUnknownOption(options, names);
  if (unknown === undefined) return;
  throw new InvalidModuleOptionError(unknown.name, 'is unknown', unknown.cure);
}

function checkRequests(requests: unknown): void {
  if (requests === undefined || typeof requests === 'boolean') return;
  throw new InvalidModuleOptionError(
    'requests',
    `must be true or false, not ${JSON.stringify(requests)}`,
    "Of an environment variable, write requests: process.env.NAME === 'true'.",
  );
}

function checkHook(option: string, hook: unknown): void {
  if (hook === undefined || typeof hook === 'function') return;
  throw new InvalidModuleOptionError(
    option,
    `must be a function, not ${typeof hook}`,
    `Write it like ${option}: (context) => …, with the ExecutionContext.`,
  );
}

function checkTracer({ tracer, apiKey, serviceUrl }: TracerModuleOptions): void {
  if (typeof (tracer as { run?: unknown } | undefined)?.run !== 'function') {
    throw new InvalidModuleOptionError(
      'tracer',
      'is no Tracer',
      'Pass new Tracer(…), or its options instead.',
    );
  }
  if (apiKey !== undefined || serviceUrl !== undefined) {
    throw new InvalidModuleOptionError(
      'tracer',
      'stands beside apiKey or serviceUrl, which belong to a new one',
      'Pass the tracer alone, or only its options.',
    );
  }
}
