import type { ByteString } from '../byte-string.js';

/**
 * Why records will never reach the service.
 *
 * - `memory_full`: more than `maxQueueBytes` waited, and no spool file could take the oldest
 * - `spool_full`: more than `maxSpoolBytes` waited in files; the oldest were dropped
 * - `too_large`: one record is larger than any service accepts
 * - `rejected`: the service named the record as invalid; its neighbours were stored
 * - `quarantined`: the service refused the record repeatedly while it stored others. A file in the quarantine folder keeps
 *   it, and `dacapo spool send --quarantined` sends it again
 * - `refused`: the same, and no file could keep it
 * - `quarantine_full`: a quarantined record was deleted because more than 64 MiB were in quarantine
 * - `spool_expired`: more than `maxSpoolAgeMs` passed while the record waited in a file
 * - `spool_damaged`: a spool file was torn, changed or removed
 * - `process_exit`: the process ended while records waited, and no spool file could store them
 */
export type DropReason =
  | 'memory_full'
  | 'spool_full'
  | 'too_large'
  | 'rejected'
  | 'quarantined'
  | 'refused'
  | 'quarantine_full'
  | 'spool_expired'
  | 'spool_damaged'
  | 'process_exit';

/** State of the service by its last answers. `refusing`: it answers, but accepts no record from this key or address. */
export type ServiceState = 'unknown' | 'reachable' | 'unreachable' | 'refusing';

/** Counts of records: `recorded = delivered + waiting + all of dropped`, at any moment. */
export interface DeliveryStats {
  /** Records from calls of this process, and from spool files of ended ones. */
  recorded: number;
  /** Of the recorded: those from spool files of ended processes. */
  adopted: number;
  /** Stored by the service. */
  delivered: number;
  /** In memory or in spool files, to be sent. */
  waiting: number;
  /** Of the waiting: those in a spool file. */
  spooled: number;
  /** Dropped records, by reason. */
  dropped: Record<DropReason, number>;
  /** Memory that waiting records occupy, in bytes. */
  memoryBytes: number;
  /** Size of this tracer's spool files, in bytes. */
  spoolBytes: number;
  service: ServiceState;
}

export interface FlushOptions {
  /** Stops waiting once the service is known to be away and files store the records. Default: `false`. */
  readonly untilAway?: boolean;
}

/** Accepts finished records. No method throws, rejects or blocks. */
export interface RecordSink {
  /**
   * Accepts one NDJSON line, without its newline.
   *
   * A span line starts `{"span":{"id":"<16 hex>"`, a trace patch `{"trace":{"id":"<uuid>"`, a score
   * `{"score":{"id":"<uuid>"`, media `{"media":{"id":"<SHA-256>"`.
   */
  add(line: ByteString): void;

  /**
   * Sends all waiting records now.
   *
   * @returns whether all were delivered: `false` after `timeoutMs`, or once the service refuses the key
   */
  flush(timeoutMs?: number, options?: FlushOptions): Promise<boolean>;

  /**
   * Sends or spools waiting records within `timeoutMs`; immediately if the service is known to be away and files hold them all.
   * Idempotent; late records are still accepted, and sent or spooled.
   */
  shutdown(timeoutMs?: number): Promise<void>;

  stats(): DeliveryStats;
}
