import type { Tracer } from '@dacapo/tracer';
import { applicationTracer, loadTracerPackage, type TracerPackage } from './application-tracer.js';
import { EntryExportError } from './errors.js';
import type { CliIo } from '../io.js';
import { type ConnectionOptions, resolveConnection } from '../service/connection.js';
import { isClass } from './exported-module.js';
import type { LoadedModule } from './load-module.js';
import type { Replayable, ReplayTarget } from './replayable.js';
import { isDataset } from './run-words.js';

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Finds the exported function to replay, and the application's tracer.
 *
 * @throws EntryExportError, TracerNotFoundError, ApiKeyMissingError
 */
export function findReplayableFunction(
  entry: LoadedModule,
  target: ReplayTarget,
  connection: ConnectionOptions & { readonly env: CliIo['env'] },
): Replayable {
  if (target.method !== undefined)
    throw new EntryExportError(
      entry.name,
      'exports no Nest module, but --method needs one',
      'Export the module, or name a function with --export.',
    );
  const tracerPackage = loadTracerPackage(entry);
  const tracer = findTracer(entry, tracerPackage, connection);
  const { name, fn, key } = chooseFunction(entry, target, tracerPackage);
  return {
    what: name === 'default' ? fn.name || name : name,
    leftOut: [],
    replay: async (data, options) => {
      if (isDataset(data))
        return tracer.evaluate(fn, { ...options, data, ...(key !== undefined && { key }) });
      if (key !== undefined) return tracer.replay(key, fn, { ...data, ...options });
      throw new EntryExportError(
        entry.name,
        `exports ${name}, which is not recorded under a key`,
        'Pass the key of the calls to replay with --key.',
      );
    },
    close: () => tracer.shutdown(),
  };
}

/** @throws EntryExportError when the entry creates several tracers or a disabled one; ApiKeyMissingError */
function findTracer(
  entry: LoadedModule,
  tracerPackage: TracerPackage,
  { env, ...options }: ConnectionOptions & { readonly env: CliIo['env'] },
): Tracer {
  const tracer = applicationTracer(entry, tracerPackage);
  if (tracer?.enabled === true) return tracer;
  const { url, apiKey } = resolveConnection(options, env);
  if (tracer === undefined) return new tracerPackage.Tracer({ serviceUrl: url, apiKey });
  throw new EntryExportError(
    entry.name,
    'has a disabled tracer',
    'Pass apiKey: process.env.TRACER_API_KEY to it, and do not set enabled to false.',
  );
}

function chooseFunction(
  entry: LoadedModule,
  { key, exportName }: ReplayTarget,
  { readTracedKey }: TracerPackage,
): { name: string; fn: AnyFunction; key: string | undefined } {
  const functions = [...entry.exports].flatMap(([name, fn]) =>
    isFunction(fn) ? [{ name, fn, key: readTracedKey(fn) }] : [],
  );
  const wanted = functions.filter(({ name }) => exportName === undefined || name === exportName);
  const ofKey = wanted.filter((found) => found.key !== undefined && (key === undefined || found.key === key));
  const [chosen, ...others] = ofKey.length > 0 ? unique(ofKey) : unique(wanted);
  if (chosen === undefined)
    throw new EntryExportError(
      entry.name,
      exportName === undefined
        ? 'exports no function and no Nest module'
        : `exports ${exportName}, which is not a function`,
      'Export the function to replay.',
    );
  if (others.length > 0) {
    const names = [chosen, ...others].map(
      (found) => `${found.name}${found.key === undefined ? '' : ` (${found.key})`}`,
    );
    throw new EntryExportError(
      entry.name,
      `exports several functions: ${names.join(', ')}`,
      'Name one with --export.',
    );
  }
  return { ...chosen, key: key ?? chosen.key };
}

/** Removes functions that are exported again under another name, such as `default`. */
function unique<T extends { fn: AnyFunction }>(functions: readonly T[]): T[] {
  return functions.filter(({ fn }, index) => functions.findIndex((other) => other.fn === fn) === index);
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function' && !isClass(value);
}
