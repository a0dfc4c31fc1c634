import { createRequire } from 'node:module';
import type { Tracer } from '@dacapo/tracer';
import { EntryExportError, TracerNotFoundError } from './errors.js';
import type { LoadedModule } from './load-module.js';

/** Exports of the application's copy of `@dacapo/tracer`. */
export interface TracerPackage {
  readonly Tracer: typeof Tracer;
  readonly liveTracers: () => Tracer[];
  readonly readTracedKey: (fn: (...args: never[]) => unknown) => string | undefined;
}

/**
 * Loads the copy that the entry resolves, because it wrapped the entry's functions.
 *
 * @throws TracerNotFoundError
 */
export function loadTracerPackage(entry: LoadedModule): TracerPackage {
  const load = createRequire(entry.path);
  try {
    return { ...load('@dacapo/tracer/internal'), ...load('@dacapo/tracer') } as TracerPackage;
  } catch {
    throw new TracerNotFoundError('@dacapo/tracer', entry.name);
  }
}

/**
 * Finds the tracer that the entry exports, else the only one that it created.
 *
 * @param earlier tracers of entries loaded before; used only if this entry created none
 * @returns `undefined` without a tracer
 * @throws EntryExportError when there are several tracers
 */
export function applicationTracer(
  entry: LoadedModule,
  { liveTracers }: TracerPackage,
  earlier: ReadonlySet<Tracer> = new Set(),
): Tracer | undefined {
  const exported = [...entry.exports.values()].filter(isTracer);
  const live = liveTracers();
  const made = live.filter((tracer) => !earlier.has(tracer));
  const candidates = exported.length > 0 ? [...new Set(exported)] : made.length > 0 ? made : live;
  if (candidates.length <= 1) return candidates[0];
  throw new EntryExportError(
    entry.name,
    `makes ${candidates.length} tracers`,
    'Export only the one that replays.',
  );
}

function isTracer(value: unknown): value is Tracer {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'replay') === 'function' &&
    typeof Reflect.get(value, 'withSpan') === 'function'
  );
}
