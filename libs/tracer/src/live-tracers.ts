const KEY = Symbol.for('@dacapo/tracers');

interface Registry {
  readonly byRecorder: WeakMap<object, object>;
  live: WeakRef<object>[];
}

const globals = globalThis as unknown as Record<symbol, Registry | undefined>;
const registry = (globals[KEY] ??= { byRecorder: new WeakMap(), live: [] });

export function registerTracer(tracer: object, recorder: object): void {
  registry.byRecorder.set(recorder, tracer);
  registry.live = [
    ...registry.live.filter((reference) => reference.deref() !== undefined),
    new WeakRef(tracer),
  ];
}

export function unregisterTracer(tracer: object): void {
  registry.live = registry.live.filter((reference) => reference.deref() !== tracer);
}

export function tracerOf(recorder: object): object | undefined {
  return registry.byRecorder.get(recorder);
}

/** The tracer of the process; `undefined` when there is none, or more than one. */
export function onlyTracer(): object | undefined {
  const live = registry.live.map((reference) => reference.deref()).filter((tracer) => tracer !== undefined);
  return live.length === 1 ? live[0] : undefined;
}
