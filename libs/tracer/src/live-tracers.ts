import { contextStorage } from './context/context-storage.js';
import type { Recorder } from './recording/recorder.js';
import type { Tracer } from './tracer.js';

const KEY = Symbol.for('@dacapo/tracers');

interface Registry {
  readonly byRecorder: WeakMap<Recorder, Tracer>;
  live: WeakRef<Tracer>[];
}

const globals = globalThis as unknown as Record<symbol, Registry | undefined>;
const registry = (globals[KEY] ??= { byRecorder: new WeakMap(), live: [] });

export function registerTracer(tracer: Tracer, recorder: Recorder): void {
  registry.byRecorder.set(recorder, tracer);
  registry.live = [
    ...registry.live.filter((reference) => reference.deref() !== undefined),
    new WeakRef(tracer),
  ];
}

export function unregisterTracer(tracer: Tracer): void {
  registry.live = registry.live.filter((reference) => reference.deref() !== tracer);
}

/**
 * The tracer that code without one of its own belongs to: that of the open span, else the only one of the process.
 *
 * @returns `undefined` when no tracer is live, or several are and no span is open: a guess could mix two tenants.
 */
export function findTracer(): Tracer | undefined {
  const recorder = contextStorage.getStore()?.span?.start.recorder;
  const current = recorder && registry.byRecorder.get(recorder);
  if (current !== undefined) return current;
  const live = registry.live.map((reference) => reference.deref()).filter((tracer) => tracer !== undefined);
  return live.length === 1 ? live[0] : undefined;
}
