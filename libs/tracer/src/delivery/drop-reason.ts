/**
 * Why records will never reach the service.
 *
 * - `memory_full`: more than `maxQueueBytes` waited, and no spool file could take the oldest
 * - `spool_full`: more than `maxSpoolBytes` waited in files; the oldest went
 * - `too_large`: one record is larger than the service takes
 * - `rejected`: the service named the record as invalid; its neighbours were stored
 * - `refused`: the service refused the whole batch, with a 4xx that a later try would not change
 * - `spool_damaged`: a spool file was torn, changed or taken away
 * - `process_exit`: the process ended while records waited, and no spool file could take them
 */
export const DROP_REASONS = [
  'memory_full',
  'spool_full',
  'too_large',
  'rejected',
  'refused',
  'spool_damaged',
  'process_exit',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];
