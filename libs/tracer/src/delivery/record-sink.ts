import type { ByteString } from '../byte-string.js';
import type { DropReason } from './drop-reason.js';

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

/** Takes finished records. No method throws, rejects or blocks. */
export interface RecordSink {
  /**
   * Takes one NDJSON line, without its newline.
   *
   * A span line starts `{"span":{"id":"<16 hex>"`, a trace patch `{"trace":{"id":"<uuid>"`.
   */
  add(line: ByteString): void;

  /**
   * Sends what waits now.
   *
   * @returns whether all of it left: `false` after `timeoutMs`, or once the service refuses the key
   */
  flush(timeoutMs?: number): Promise<boolean>;

  /** Sends or spools what waits, within `timeoutMs`. Idempotent; late records are still taken, and sent or spooled. */
  shutdown(timeoutMs?: number): Promise<void>;

  stats(): DeliveryStats;
}
