import { type Clock, SystemClock } from '../../../clock.js';
import type { Storage } from '../../storage.js';
import { MemoryMetaStore } from './memory-meta-store.js';
import { MemorySpanStore } from './memory-span-store.js';

export interface InMemoryStorageOptions {
  /** How long an acknowledged span or trace stays unseen, in milliseconds; 0 when absent. */
  visibleAfterMs?: number;
  /** How long a span's payload stays unseen, from the same time on; `visibleAfterMs` when absent. */
  payloadVisibleAfterMs?: number;
  /** Lists go on showing what came first of a span or a trace, as in a store that never changes a row. */
  writeOnce?: boolean;
  /** The system's when absent. */
  clock?: Readonly<Clock>;
}

/**
 * Keeps all in this process, and nothing longer: for tests, demos and trying things out. Every read looks at every record
 * of the account, so it is meant for thousands of spans, not millions.
 *
 * With its options it behaves like a store that shows late what it took in; it declares so in its capabilities.
 */
export class InMemoryStorage implements Storage {
  readonly spans: MemorySpanStore;
  readonly meta = new MemoryMetaStore();

  constructor({ clock = new SystemClock(), ...options }: InMemoryStorageOptions = {}) {
    const { visibleAfterMs = 0, payloadVisibleAfterMs = visibleAfterMs, writeOnce = false } = options;
    this.spans = new MemorySpanStore(clock, { visibleAfterMs, payloadVisibleAfterMs, writeOnce });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
