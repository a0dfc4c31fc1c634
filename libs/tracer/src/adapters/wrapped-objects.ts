import type { Recorder } from '../recording/recorder.js';

/** Objects whose methods are recorded. Each tracer wraps an object once. */
export class WrappedObjects {
  private readonly byRecorder = new WeakMap<Recorder, WeakSet<object>>();

  has(object: object, recorder: Recorder): boolean {
    return this.byRecorder.get(recorder)?.has(object) === true;
  }

  /** @returns whether the object is new */
  add(object: object, recorder: Recorder): boolean {
    const wrapped = this.byRecorder.get(recorder) ?? new WeakSet();
    this.byRecorder.set(recorder, wrapped);
    if (wrapped.has(object)) return false;
    wrapped.add(object);
    return true;
  }
}
