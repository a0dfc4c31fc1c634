import type { Clock } from '../clock.js';
import type { StorageError } from '../errors.js';
import type { Locks } from './coordination/locks.js';
import type { RateLimits } from './coordination/rate-limits.js';
import type { MetaStore } from './meta/meta-store.js';
import type { SpanStore } from './ports/span-store.js';
import type { StorageFigures } from './ports/storage-figures.js';

/** What provides the {@link Storage}. */
export const STORAGE = Symbol('storage');

/** What a driver opens: both stores, closed together. */
export interface Storage {
  spans: SpanStore;
  meta: MetaStore;
  /** Of a store that several processes share. Without them, one process has it for itself. */
  locks?: Locks;
  /** As {@link locks}. Without them, each process counts the requests of a key by itself. */
  rateLimits?: RateLimits;
  /** The time of the store, for all processes that share it. Without it, the option `clock` of each counts. */
  clock?: Clock;
  /**
   * Looks through all that is stored for damage, however long it takes; `meta.ping` tells of it from then on, until a later look
   * finds none. Ends when the store is closed. A store that another program looks after has none.
   *
   * @throws StorageError when something is damaged, or cannot be checked
   */
  check?(): Promise<void>;
  /** Settles when the store gave up for good: it can answer again only in another process, or after it was opened again. Never otherwise. */
  readonly lost?: Promise<StorageError>;
  /** How the store is doing. One that another program looks after has that one's measures. @throws StorageError */
  measure?(): Promise<StorageFigures>;
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
