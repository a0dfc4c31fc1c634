import type { EvaluateOptions, ReplayResult, RunOptions } from '@dacapo/tracer';
import { errorCode } from '../errors.js';
import {
  ApplicationFailedError,
  EntryExportError,
  MethodNotFoundError,
  TracerNotFoundError,
} from './errors.js';
import type { LoadedModule } from './load-module.js';
import type { Replayable, ReplayTarget } from './replayable.js';
import { isDataset } from './run-words.js';

/** The used part of the application's `ReplayService`. Declared here because the CLI does not depend on Nest. */
interface Replays {
  methods(): {
    readonly name: string;
    readonly token: unknown;
    readonly method: string;
    readonly key?: string;
  }[];
  replay(key: string, options: RunOptions): Promise<ReplayResult>;
  replay(token: unknown, method: string, options: RunOptions & { key?: string }): Promise<ReplayResult>;
  evaluate(key: string, options: EvaluateOptions): Promise<ReplayResult>;
  evaluate(token: unknown, method: string, options: EvaluateOptions): Promise<ReplayResult>;
}

/** The used part of Nest's application context. */
interface ApplicationContext {
  get(token: unknown, options: { readonly strict: false }): Record<PropertyKey, unknown>;
  resolve(
    token: unknown,
    contextId: undefined,
    options: { readonly strict: false },
  ): Promise<Record<PropertyKey, unknown>>;
}

/** The result of the application's `createReplayContext`. */
interface ReplayContext {
  readonly app: ApplicationContext;
  readonly replays: Replays;
  readonly leftOut: readonly { readonly work: string; readonly name: string }[];
  close(): Promise<void>;
}

type CreateReplayContext = (module: object, options: object) => Promise<ReplayContext>;

/** Global symbol under which `@dacapo/nestjs` registers its function, so that the application's copy starts the application. */
const CREATE_REPLAY_CONTEXT = Symbol.for('@dacapo/nestjs/createReplayContext');

/** Metadata keys that Nest's `@Module` sets on a class. */
const MODULE_METADATA = ['imports', 'providers', 'controllers', 'exports'];

/**
 * Finds exported Nest modules by name: the named one, else the default export, else `AppModule`, else all. Empty when the entry
 * exports functions.
 */
export async function exportedModules(
  { exports }: LoadedModule,
  { exportName, method }: ReplayTarget,
): Promise<Map<string, object>> {
  const found = new Map<string, object>();
  for (const [name, exported] of exports) {
    if (exportName !== undefined && name !== exportName) continue;
    const value: unknown = exported instanceof Promise ? await exported : exported;
    // A module without metadata looks like any other class.
    const isNamed = method !== undefined && (name === exportName || name === 'default') && isClass(value);
    if (isNamed || isModule(value)) found.set(name, value as object);
  }
  for (const name of ['default', 'AppModule']) {
    const preferred = found.get(name);
    if (preferred !== undefined) return new Map([[name, preferred]]);
  }
  return found;
}

/**
 * Starts the application for a replay and finds the method.
 *
 * @throws EntryExportError, TracerNotFoundError, MethodNotFoundError, ApplicationFailedError
 */
export async function findReplayableMethod(
  entry: LoadedModule,
  module: object,
  target: ReplayTarget,
): Promise<Replayable> {
  const { key, method } = target;
  if (key === undefined && method === undefined)
    throw new EntryExportError(
      entry.name,
      'exports a Nest module',
      'Choose the function with --method Service.method, or with --key.',
    );
  const context = await startContext(entry, module);
  const { replays, leftOut } = context;
  try {
    const found = method === undefined ? undefined : findMethod(replays, method);
    return {
      what: method ?? `the method of ${String(key)}`,
      leftOut: leftOut.map(({ work, name }) => `${name} (${work})`),
      replay: (data, options) => {
        const named = key === undefined ? {} : { key };
        if (found === undefined)
          return isDataset(data)
            ? replays.evaluate(String(key), { ...options, data })
            : replays.replay(String(key), { ...data, ...options });
        return isDataset(data)
          ? replays.evaluate(found.token, found.method, { ...options, ...named, data })
          : replays.replay(found.token, found.method, { ...data, ...options, ...named });
      },
      close: () => context.close(),
    };
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** @throws TracerNotFoundError, ApplicationFailedError */
export async function startContext(entry: LoadedModule, module: object): Promise<ReplayContext> {
  if (isContext(module)) return module;
  const create = (globalThis as Record<symbol, unknown>)[CREATE_REPLAY_CONTEXT] as
    CreateReplayContext | undefined;
  if (create === undefined) throw new TracerNotFoundError('@dacapo/nestjs', entry.name);
  try {
    return await create(module, { logger: ['warn', 'error', 'fatal'] });
  } catch (error) {
    if (errorCode(error)?.startsWith('NESTJS_')) throw error;
    throw new ApplicationFailedError(entry.name, { cause: error });
  }
}

function findMethod(replays: Replays, name: string): ReturnType<Replays['methods']>[number] {
  const methods = replays.methods();
  const [found, ...others] = methods.filter((method) => method.name === name);
  if (found !== undefined && others.length === 0) return found;
  const traced = methods.flatMap((method) => (method.key === undefined ? [] : [method.name]));
  throw new MethodNotFoundError(name, found === undefined ? 0 : others.length + 1, traced);
}

function isModule(value: unknown): boolean {
  if (isContext(value)) return true;
  if (typeof value === 'object' && value !== null && 'module' in value)
    return typeof value.module === 'function';
  if (!isClass(value)) return false;
  const { getOwnMetadataKeys } = Reflect as { getOwnMetadataKeys?: (target: object) => unknown[] };
  const keys = getOwnMetadataKeys?.(value) ?? [];
  return MODULE_METADATA.some((key) => keys.includes(key));
}

function isContext(value: unknown): value is ReplayContext {
  if (typeof value !== 'object' || value === null || !('replays' in value) || !('close' in value))
    return false;
  const { replays } = value;
  return typeof replays === 'object' && replays !== null && 'replay' in replays;
}

/** Does not recognize classes compiled to ES5 functions. */
export function isClass(value: unknown): value is object {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
