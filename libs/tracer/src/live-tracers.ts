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

/** Makes it one that code without a tracer of its own may belong to. */
export function reviveTracer(tracer: object): void {
  const others = registry.live.filter((reference) => ![undefined, tracer].includes(reference.deref()));
  registry.live = [...others, new WeakRef(tracer)];
}

/** Takes that back: it has ended, or its application has not started yet, and may never. */
export function unregisterTracer(tracer: object): void {
  registry.live = registry.live.filter((reference) => reference.deref() !== tracer);
}

export function findTracerByRecorder(recorder: object): object | undefined {
  return registry.byRecorder.get(recorder);
}

/** The tracer of the process; `undefined` when there is none, or more than one. */
export function onlyTracer(): object | undefined {
  const live = liveTracers();
  return live.length === 1 ? live[0] : undefined;
}

/** Those that record now, of whichever copy of this package. */
export function liveTracers(): object[] {
  return registry.live.map((reference) => reference.deref()).filter((tracer) => tracer !== undefined);
}
