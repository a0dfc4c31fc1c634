import type { Clock } from '../clock.js';
import type { StorageError } from '../errors.js';
import type { Locks } from './coordination/locks.js';
import type { RateLimits } from './coordination/rate-limits.js';
import type { MetaStore } from './meta/meta-store.js';
import type { SpanStore } from './ports/span-store.js';
import type { StorageFigures } from './ports/storage-figures.js';

/** Injection token of the {@link Storage}. */
export const STORAGE = Symbol('storage');

/** Both stores, as a driver opens and closes them. */
export interface Storage {
  spans: SpanStore;
  meta: MetaStore;
  /** Absent if only one process uses the store. */
  locks?: Locks;
  /** Absent if each process counts the requests of a key for itself. */
  rateLimits?: RateLimits;
  /** The clock that all processes of the store share. Default: the option `clock` of each process. */
  clock?: Clock;
  /**
   * Reads everything that is stored, however long it takes, and looks for damage. `meta.ping` reports damage until a later check
   * finds none. Ends when the store is closed. A database server checks itself, so its driver has no such method.
   *
   * @throws StorageError when something is damaged, or cannot be checked
   */
  check?(): Promise<void>;
  /** Resolves if the store fails for good, until it is opened again or the process restarts. */
  readonly lost?: Promise<StorageError>;
  /** Absent if the store is a database server, which has metrics of its own. @throws StorageError */
  measure?(): Promise<StorageFigures>;
  /** Finishes what is running, then closes the store. */
  close(): Promise<void>;
}

/** Opens a store when the service starts. */
export type StorageFactory = (context: {
  /** The option `dataDir`. */
  dataDir: string;
  /** The clock of the service. */
  clock: Readonly<Clock>;
}) => Storage | Promise<Storage>;
