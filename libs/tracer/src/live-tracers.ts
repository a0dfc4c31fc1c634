const KEY = Symbol.for('@dacapo/tracers');

interface Registry {
  readonly byRecorder: WeakMap<object, object>;
  live: WeakRef<object>[];
}

const globals = globalThis as unknown as Record<symbol, Registry | undefined>;
const registry = (globals[KEY] ??= { byRecorder: new WeakMap(), live: [] });

export function registerTracer(tracer: object, recorder: object): void {
  registry.byRecorder.set(recorder, tracer);
  reviveTracer(tracer);
}

/** Registers a tracer again, so that code without its own tracer may use it. */
export function reviveTracer(tracer: object): void {
  const others = registry.live.filter((reference) => ![undefined, tracer].includes(reference.deref()));
  registry.live = [...others, new WeakRef(tracer)];
}

/** Unregisters a tracer that was shut down, or whose application has not started yet. */
export function unregisterTracer(tracer: object): void {
  registry.live = registry.live.filter((reference) => reference.deref() !== tracer);
}

export function findTracerByRecorder(recorder: object): object | undefined {
  return registry.byRecorder.get(recorder);
}

/** Returns the only tracer of the process; `undefined` if there is none, or more than one. */
export function onlyTracer(): object | undefined {
  const live = liveTracers();
  return live.length === 1 ? live[0] : undefined;
}

/** The tracers that currently record, of all copies of this package. */
export function liveTracers(): object[] {
  return registry.live.map((reference) => reference.deref()).filter((tracer) => tracer !== undefined);
}
