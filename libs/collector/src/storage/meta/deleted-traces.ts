import { parseTimestamp } from '@dacapo/protocol';
import { digestOfGroup, type GroupDeletion, type TraceGroup } from '../ports/trace-deletion.js';
import type { MetaTransaction } from './transaction.js';

/** Has what comes of these traces from now on dropped, with `withCopies` copies too. */
export async function rememberDeleted(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
  { forgetAt, withCopies = false }: { forgetAt: string; withCopies?: boolean },
): Promise<void> {
  await db.insertAll(
    'deleted_traces',
    traceIds.map((trace_id) => ({
      account_id: accountId,
      trace_id,
      with_copies: withCopies,
      forget_us: parseTimestamp(forgetAt),
    })),
    `ON CONFLICT(account_id, trace_id) DO UPDATE
      SET with_copies = ${later('deleted_traces.with_copies')},
        forget_us = ${later('deleted_traces.forget_us')}`,
  );
}

/** Those of these traces that were deleted. @param which only those that went with their copies */
export async function findDeleted(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly (string | undefined)[],
  which: { withCopies?: true } = {},
): Promise<Set<string>> {
  const rows = await db.all<{ trace_id: string }>(
    `SELECT trace_id FROM deleted_traces WHERE account_id = :accountId
      ${which.withCopies ? 'AND with_copies = 1' : ''} AND trace_id IN (SELECT value FROM ${db.dialect.texts(':traceIds')})`,
    { accountId, traceIds: JSON.stringify(traceIds.filter((id) => id !== undefined)) },
  );
  return new Set(rows.map(({ trace_id }) => trace_id));
}

/** Has what was recorded of a session or a user before it was deleted dropped from now on. */
export async function rememberDeletedGroup(
  db: MetaTransaction,
  accountId: string,
  group: TraceGroup,
  { deletedAt, forgetAt }: GroupDeletion,
): Promise<void> {
  await db.insert(
    'deleted_groups',
    {
      account_id: accountId,
      digest: digestOfGroup(group),
      deleted_us: parseTimestamp(deletedAt),
      forget_us: parseTimestamp(forgetAt),
    },
    `ON CONFLICT(account_id, digest) DO UPDATE SET deleted_us = ${later('deleted_groups.deleted_us')},
      forget_us = ${later('deleted_groups.forget_us')}`,
  );
}

/** When those of these sessions that were deleted were, in microseconds. */
export async function findDeletedSessions(
  db: MetaTransaction,
  accountId: string,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const byDigest = new Map(sessionIds.map((id) => [digestOfGroup({ by: 'session_id', id }), id]));
  if (byDigest.size === 0) return new Map();
  const rows = await db.all<{ digest: string; deleted_us: number }>(
    `SELECT digest, deleted_us FROM deleted_groups WHERE account_id = :accountId
      AND digest IN (SELECT value FROM ${db.dialect.texts(':digests')})`,
    { accountId, digests: JSON.stringify([...byDigest.keys()]) },
  );
  return new Map(rows.map(({ digest, deleted_us }) => [byDigest.get(digest) ?? '', deleted_us]));
}

/** Deleted traces that are forgotten in one write. */
const FORGOTTEN_AT_ONCE = 20_000;

/** Forgets deletions whose time has come, of all accounts. */
export async function forgetDeleted(db: MetaTransaction, now: string): Promise<void> {
  const until = { nowUs: parseTimestamp(now) };
  await db.run(
    `DELETE FROM deleted_traces WHERE (account_id, trace_id) IN (SELECT account_id, trace_id FROM deleted_traces
      WHERE forget_us <= :nowUs LIMIT ${FORGOTTEN_AT_ONCE})`,
    until,
  );
  await db.run('DELETE FROM deleted_groups WHERE forget_us <= :nowUs', until);
}

/** In a DO UPDATE: the greater of what is stored and what is inserted. @param column with its table */
function later(column: string): string {
  const inserted = `excluded.${column.replace(/^.*\./, '')}`;
  return `CASE WHEN ${inserted} > ${column} THEN ${inserted} ELSE ${column} END`;
}
