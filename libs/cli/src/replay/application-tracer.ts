import { createRequire } from 'node:module';
import type { Tracer } from '@dacapo/tracer';
import { EntryExportError, TracerNotFoundError } from './errors.js';
import type { LoadedModule } from './load-module.js';

/** The entries of the application's own `@dacapo/tracer`. */
export interface TracerPackage {
  readonly Tracer: typeof Tracer;
  readonly liveTracers: () => Tracer[];
  readonly tracedKeyOf: (fn: (...args: never[]) => unknown) => string | undefined;
}

/**
 * The copy that code of the entry gets: recorded functions belong to it.
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
 * The tracer that the entry exports, else the only one that it made.
 *
 * @param earlier tracers of entries that were loaded before: they count only where this entry made none
 * @returns `undefined` when there is none
 * @throws EntryExportError when there are several
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
    'Export the one that plays, and no other.',
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
