import type { MetaStore } from './meta-store.js';
import type { SpanStore } from './span-store.js';

/** What a driver opens: both stores, closed together. */
export interface Storage {
  spans: SpanStore;
  meta: MetaStore;
  /** Finishes what was begun, then lets go of the data. */
  close(): Promise<void>;
}
