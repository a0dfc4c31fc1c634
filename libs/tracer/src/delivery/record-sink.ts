import type { ByteString } from '../byte-string.js';

/**
 * Why records will never reach the service.
 *
 * - `memory_full`: more than `maxQueueBytes` waited, and no spool file could take the oldest
 * - `spool_full`: more than `maxSpoolBytes` waited in files; the oldest went
 * - `too_large`: one record is larger than any service accepts
 * - `rejected`: the service named the record as invalid; its neighbours were stored
 * - `quarantined`: the service refused the record again and again while it stored others. A file in the quarantine folder keeps
 *   it, and `dacapo spool send --quarantined` sends it again
 * - `refused`: the same, and no file could keep it
 * - `quarantine_full`: a quarantined record was deleted because more than 64 MiB were in quarantine
 * - `spool_expired`: more than `maxSpoolAgeMs` passed while the record waited in a file
 * - `spool_damaged`: a spool file was torn, changed or taken away
 * - `process_exit`: the process ended while records waited, and no spool file could take them
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

/** How the last answers of the service were. `refusing`: it answers, but takes no record from this key or address. */
export type ServiceState = 'unknown' | 'reachable' | 'unreachable' | 'refusing';

/** What became of the records: `recorded = delivered + waiting + all of dropped`, at any moment. */
export interface DeliveryStats {
  /** Records taken: from calls of this process, and from spool files of dead ones. */
  recorded: number;
  /** Of the recorded: those found in spool files of dead processes. */
  adopted: number;
  /** Stored by the service. */
  delivered: number;
  /** In memory or in spool files, to be sent. */
  waiting: number;
  /** Of the waiting: those that a spool file holds too, or alone. */
  spooled: number;
  /** Given up, by reason. */
  dropped: Record<DropReason, number>;
  /** Memory that waiting records occupy, in bytes. */
  memoryBytes: number;
  /** Size of this tracer's spool files, in bytes. */
  spoolBytes: number;
  service: ServiceState;
}

export interface FlushOptions {
  /** Waits no longer once the service is known to be away and files keep what waits. Default: `false`. */
  readonly untilAway?: boolean;
}

/** Takes finished records. No method throws, rejects or blocks. */
export interface RecordSink {
  /**
   * Takes one NDJSON line, without its newline.
   *
   * A span line starts `{"span":{"id":"<16 hex>"`, a trace patch `{"trace":{"id":"<uuid>"`, a score
   * `{"score":{"id":"<uuid>"`, media `{"media":{"id":"<SHA-256>"`.
   */
  add(line: ByteString): void;

  /**
   * Sends what waits now.
   *
   * @returns whether all of it left: `false` after `timeoutMs`, or once the service refuses the key
   */
  flush(timeoutMs?: number, options?: FlushOptions): Promise<boolean>;

  /**
   * Sends or spools what waits, within `timeoutMs`; at once when the service is known to be away and files keep it all.
   * Idempotent; late records are still taken, and sent or spooled.
   */
  shutdown(timeoutMs?: number): Promise<void>;

  stats(): DeliveryStats;
}
