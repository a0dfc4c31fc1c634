/** A part of this package that something may wait for. */
export interface Part<T> {
  /** `undefined` until it is loaded. */
  readonly current: T | undefined;
  /** Rejects if it cannot be loaded. */
  ready(): Promise<void>;
}

/** A part that is loaded when something needs it (docs/adr/0061). */
export class Late<T> implements Part<T> {
  current: T | undefined;
  private loading: Promise<void> | undefined;

  constructor(private readonly load: () => Promise<T>) {}

  /** Loads it once. */
  ready(): Promise<void> {
    this.loading ??= this.load().then((loaded) => {
      this.current = loaded;
    });
    return this.loading;
  }
}

/** A part that is already loaded. */
export function loaded<T>(part: T): Part<T> {
  return { current: part, ready: () => Promise.resolve() };
}
