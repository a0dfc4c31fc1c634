/** Why records did not reach the service. */
export type DropReason = string;

export interface DeliveryStats {
  recorded: number;
  delivered: number;
  waiting: number;
  dropped: Record<DropReason, number>;
}

/** Takes finished records; never throws, never blocks. */
export interface RecordSink {
  add(line: string): void;
  flush(timeoutMs?: number): Promise<boolean>;
  shutdown(timeoutMs?: number): Promise<void>;
  stats(): DeliveryStats;
}
