import type { Migration } from './migration.js';

/**
 * Searches of calls leave out replays, which may be all that came last: whether a call was recorded is told by the index that they walk
 * along, and not by the entry of each.
 */
export const callsWithRecording: Migration = {
  id: 33,
  name: 'calls-with-recording',
  statements: [
    'DROP INDEX trace_calls_by_time',
    `CREATE INDEX trace_calls_by_time
      ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC, outcome, is_recording)`,
  ],
};
