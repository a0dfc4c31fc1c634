import type { Clock } from '../clock.js';
import type { MetaStore } from './meta-store.js';
import type { SpanStore } from './span-store.js';

/** What a driver opens: both stores, closed together. */
export interface Storage {
  spans: SpanStore;
  meta: MetaStore;
  /** Finishes what was begun, then lets go of the data. */
  close(): Promise<void>;
}

/** Opens a store when the service starts. */
export type StorageFactory = (context: {
  /** The option `dataDir`. */
  dataDir: string;
  /** Where the service reads the time. */
  clock: Readonly<Clock>;
}) => Storage | Promise<Storage>;
