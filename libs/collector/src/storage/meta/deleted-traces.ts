import { parseTimestamp } from '@dacapo/protocol';
import { digestGroup, type GroupDeletion, type TraceGroup } from '../ports/trace-deletion.js';
import { endLinksOfTraces } from './share-links.js';
import type { MetaTransaction } from './transaction.js';

/** Marks traces as deleted: from now on late records are dropped, and with `withCopies` late copies, too. */
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
  await endLinksOfTraces(db, accountId, traceIds);
}

/** The deleted ones among these traces. @param which only those deleted together with their copies */
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

/** The deleted ones among sessions and users. @param digests see `digestGroup` */
export async function findDeletedGroups(
  db: MetaTransaction,
  accountId: string,
  digests: readonly string[],
): Promise<[digest: string, deletedUs: number][]> {
  if (digests.length === 0) return [];
  const rows = await db.all<{ digest: string; deleted_us: number }>(
    `SELECT digest, deleted_us FROM deleted_groups WHERE account_id = :accountId
      AND digest IN (SELECT value FROM ${db.dialect.texts(':digests')})`,
    { accountId, digests: JSON.stringify(digests) },
  );
  return rows.map(({ digest, deleted_us }) => [digest, deleted_us]);
}

/** Marks a session or user as deleted: from now on, records from before the deletion are dropped. */
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
      digest: digestGroup(group),
      deleted_us: parseTimestamp(deletedAt),
      forget_us: parseTimestamp(forgetAt),
    },
    `ON CONFLICT(account_id, digest) DO UPDATE SET deleted_us = ${later('deleted_groups.deleted_us')},
      forget_us = ${later('deleted_groups.forget_us')}`,
  );
}

/** The deleted ones among these sessions, with the time of deletion in microseconds. */
export async function findDeletedSessions(
  db: MetaTransaction,
  accountId: string,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const byDigest = new Map(sessionIds.map((id) => [digestGroup({ by: 'session_id', id }), id]));
  if (byDigest.size === 0) return new Map();
  const rows = await db.all<{ digest: string; deleted_us: number }>(
    `SELECT digest, deleted_us FROM deleted_groups WHERE account_id = :accountId
      AND digest IN (SELECT value FROM ${db.dialect.texts(':digests')})`,
    { accountId, digests: JSON.stringify([...byDigest.keys()]) },
  );
  return new Map(rows.map(({ digest, deleted_us }) => [byDigest.get(digest) ?? '', deleted_us]));
}

/** Rows that one write deletes. */
const FORGOTTEN_AT_ONCE = 20_000;

/** Forgets expired deletions of all accounts. */
export async function forgetDeleted(db: MetaTransaction, now: string): Promise<void> {
  const until = { nowUs: parseTimestamp(now) };
  await db.run(
    `DELETE FROM deleted_traces WHERE (account_id, trace_id) IN (SELECT account_id, trace_id FROM deleted_traces
      WHERE forget_us <= :nowUs LIMIT ${FORGOTTEN_AT_ONCE})`,
    until,
  );
  await db.run('DELETE FROM deleted_groups WHERE forget_us <= :nowUs', until);
}

/** For a DO UPDATE: the greater of the stored and the inserted value. @param column with its table */
function later(column: string): string {
  const inserted = `excluded.${column.replace(/^.*\./, '')}`;
  return `CASE WHEN ${inserted} > ${column} THEN ${inserted} ELSE ${column} END`;
}
