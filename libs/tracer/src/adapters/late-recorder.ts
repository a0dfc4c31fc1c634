import type { Recorder } from '../recording/recorder.js';
import type { AnyFunction } from '../recording/span-definition.js';

/** Methods of a library's listener. The library awaits their result; `undefined` means that there is nothing to wait for. */
export type LateEvents<N extends PropertyKey> = Readonly<
  Record<N, (...event: unknown[]) => Promise<void> | undefined>
>;

/**
 * Loads what records a library at its first use (docs/adr/0061). Libraries await the event that starts a run, so the first run waits
 * for the load, and later events are recorded at once.
 */
export class LateRecorder<T extends object> {
  /** `undefined` until it is loaded. */
  current: T | undefined;
  private loading: Promise<T | undefined> | undefined;

  /** @param recorder absent while tracing is off: then nothing is loaded or recorded */
  constructor(
    private readonly recorder: Recorder | undefined,
    private readonly load: (recorder: Recorder) => Promise<T>,
  ) {}

  /** Loads it. Never rejects. @returns `undefined` if it cannot be loaded, which is reported */
  ready(): Promise<T | undefined> {
    const { recorder, load } = this;
    this.loading ??=
      recorder === undefined
        ? Promise.resolve(undefined)
        : load(recorder).then(
            (loaded) => (this.current = loaded),
            (error: unknown) => {
              recorder.failed('loading an adapter', error);
              return undefined;
            },
          );
    return this.loading;
  }

  /** Passes an event on: at once, or when the recorder is loaded. Never rejects. */
  pass(event: (loaded: T) => void): Promise<void> | undefined {
    if (this.recorder === undefined) return undefined;
    if (this.current === undefined)
      return this.ready().then((loaded) => {
        if (loaded !== undefined) event(loaded);
      });
    event(this.current);
    return undefined;
  }

  /** Creates methods with these names that pass their calls on. */
  events<N extends keyof T>(names: readonly N[]): LateEvents<N> {
    const entries = names.map((name) => [
      name,
      (...event: unknown[]) =>
        this.pass((loaded) => {
          Reflect.apply(loaded[name] as AnyFunction, loaded, event);
        }),
    ]);
    return Object.fromEntries(entries) as LateEvents<N>;
  }
}
