import type { Type } from '@nestjs/common';
import type { Tracer } from '@dacapo/tracer';
import {
  callback,
  findUnknownOption,
  findWrongValue,
  flag,
  option,
  type Option,
  text,
  TRACER_OPTIONS,
  type WrongOption,
} from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';
import { isClass } from '../replay/property-types.js';
import type { PropagateOptions, RequestOptions } from '../request-options.js';
import type { TracerModuleAsyncOptions, TracerModuleExtras, TracerModuleOptions } from './module-options.js';

/** What `forRoot` and the factory accept besides the options of the tracer. */
export const MODULE_OPTIONS = {
  tracer: option<Tracer>({
    takes: 'a Tracer',
    defaultText: 'a new one',
    accepts: isTracer,
    cure: 'Pass new Tracer(…), or its options instead.',
  }),
  replayClasses: option<readonly Type<object>[]>({
    takes: 'a list of classes',
    defaultText: 'none',
    accepts: (value): value is readonly Type<object>[] => Array.isArray(value) && value.every(isClass),
    cure: 'Write replayClasses: [Order, Page].',
  }),
  requests: { ...flag(undefined), defaultText: '`true`; for a named tracer `false`' },
  exclude: callback('exclude: (context) => …, with the ExecutionContext'),
  enrich: callback('enrich: (context) => …, with the ExecutionContext'),
  incoming: TRACER_OPTIONS.incoming,
  propagate: option<PropagateOptions>({
    takes: 'an object of clients and queues, each true or false',
    defaultText: 'nothing',
    accepts: isPropagateOptions,
    cure: 'Write propagate: { clients: true, queues: true }, or one of the two.',
  }),
} satisfies Record<'tracer' | 'replayClasses' | keyof RequestOptions, Option<unknown>>;

/** Options that must be next to `useFactory`: its result comes too late for them. */
export const MODULE_EXTRAS = {
  name: text({ cure: 'Omit it for the tracer without a name.' }),
  isGlobal: flag(true),
  interceptor: { ...flag(undefined), defaultText: '`false`' },
} satisfies Record<keyof TracerModuleExtras, Option<unknown, unknown>>;

const ASYNC_OPTIONS = [
  'imports',
  'inject',
  'useFactory',
  'useClass',
  'useExisting',
] as const satisfies (keyof TracerModuleAsyncOptions)[];

/** @throws InvalidModuleOptionError when `forRootAsync` has an unknown option */
export function checkAsyncOptionNames(options: TracerModuleAsyncOptions): void {
  throwIfWrong(findUnknownOption(options, [...ASYNC_OPTIONS, ...Object.keys(MODULE_EXTRAS)]));
}

/** @throws InvalidModuleOptionError when the options are not an object, have an unknown name or an invalid value */
export function checkModuleOptions(options: TracerModuleOptions): void {
  const value: unknown = options;
  if (typeof value !== 'object' || value === null) {
    throw new InvalidModuleOptionError(
      'useFactory',
      `must return an object, not ${value === null ? 'null' : typeof value}`,
      'Return the options of TracerModule, or {} for the defaults.',
    );
  }
  for (const extra of Object.keys(MODULE_EXTRAS)) {
    if (extra in options) {
      throw new InvalidModuleOptionError(
        extra,
        'was returned by the factory, but the module needs it earlier',
        `Pass it next to useFactory: forRootAsync({ ${extra}, useFactory }).`,
      );
    }
  }
  throwIfWrong(
    findUnknownOption(options, Object.keys({ ...TRACER_OPTIONS, ...MODULE_OPTIONS, ...MODULE_EXTRAS })),
  );
  throwIfWrong(findWrongValue(MODULE_OPTIONS, options));
  const { tracer, apiKey, serviceUrl } = options;
  if (tracer !== undefined && (apiKey !== undefined || serviceUrl !== undefined)) {
    throw new InvalidModuleOptionError(
      'tracer',
      'cannot be combined with apiKey or serviceUrl, which create a new tracer',
      'Pass either the tracer or its options.',
    );
  }
}

function throwIfWrong(wrong: WrongOption | undefined): void {
  if (wrong !== undefined) throw new InvalidModuleOptionError(wrong.name, wrong.problem, wrong.cure);
}

/** Checks the shape, because two copies of the tracer's package may be loaded. */
function isTracer(value: unknown): value is Tracer {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

const TRANSPORTS: readonly string[] = ['clients', 'queues'] satisfies (keyof PropagateOptions)[];

function isPropagateOptions(value: unknown): value is PropagateOptions {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(
    ([name, input]: [string, unknown]) =>
      TRANSPORTS.includes(name) && (input === undefined || typeof input === 'boolean'),
  );
}
