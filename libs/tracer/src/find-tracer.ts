import { contextStorage } from './context/context-storage.js';
import { onlyTracer, findTracerByRecorder } from './live-tracers.js';
import type { Tracer } from './tracer.js';

/**
 * The tracer that code without one of its own belongs to: that of the open span, else the only one of the process.
 *
 * @returns `undefined` when no tracer is live, or several are and no span is open: a guess could mix two tenants.
 */
export function findTracer(): Tracer | undefined {
  const recorder = contextStorage.getStore()?.span?.start.recorder;
  return ((recorder && findTracerByRecorder(recorder)) ?? onlyTracer()) as Tracer | undefined;
}
