import { parseTimestamp } from '@dacapo/protocol';
import type { TraceDeletion } from '../../../trace-deletion.js';
import type { Step } from '../connection.js';
import { countStep } from '../deletion-counts.js';

const THESE = 'account_id = ?1 AND trace_id IN (SELECT value FROM json_each(?2))';

const REMEMBER = `INSERT INTO deleted_traces(account_id, trace_id, with_copies, forget_us)
  SELECT ?1, value, ?3, ?4 FROM json_each(?2) WHERE true
  ON CONFLICT(account_id, trace_id) DO UPDATE SET with_copies = max(with_copies, excluded.with_copies),
    forget_us = max(forget_us, excluded.forget_us)`;

/** Has what comes of these traces from now on dropped. */
export function rememberStep(
  accountId: string,
  traceIds: readonly string[],
  { withCopies, forgetAt }: Pick<TraceDeletion, 'withCopies' | 'forgetAt'>,
): Step {
  return {
    sql: REMEMBER,
    rows: [[accountId, JSON.stringify(traceIds), withCopies, parseTimestamp(forgetAt)]],
  };
}

/** The places of steps whose outcomes say what was deleted. */
export const DELETED = { scores: 1, traces: 4, spans: 6 } as const;

/** One part of a deletion, as a write of its own or before an ingest that brings more of the traces. */
export function deletionSteps(
  accountId: string,
  traceIds: readonly string[],
  { deletionId, mostSpans, ...remembered }: TraceDeletion,
): Step[] {
  const these = [accountId, JSON.stringify(traceIds)];
  const counted = (name: keyof typeof DELETED): Step => countStep(accountId, deletionId, name);
  return [
    rememberStep(accountId, traceIds, remembered),
    {
      sql: `DELETE FROM scores WHERE account_id = ?1 AND target = 'trace' AND target_id IN (SELECT value FROM json_each(?2))`,
      rows: [these],
    },
    counted('scores'),
    { sql: `DELETE FROM trace_attributes WHERE ${THESE}`, rows: [these] },
    { sql: `DELETE FROM traces WHERE ${THESE}`, rows: [these] },
    counted('traces'),
    {
      sql: `DELETE FROM spans WHERE span_no IN (SELECT span_no FROM spans WHERE ${THESE} LIMIT ?3)`,
      rows: [[...these, mostSpans]],
    },
    counted('spans'),
    // They may be counted between two parts: each has them counted anew.
    { sql: 'INSERT INTO changed_traces(account_id, trace_ids) VALUES (?, ?)', rows: [these] },
  ];
}
