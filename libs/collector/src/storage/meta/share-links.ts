import { formatTimestamp, parseTimestamp, type ShareLinkSummary } from '@dacapo/protocol';
import { timestampOrNull, withoutNulls } from './rows.js';
import type { MetaTransaction } from './transaction.js';

/** What a link shows: a trace or a test run. */
export type SharedId = { traceId: string } | { testRunId: string };

export interface NewShareLink {
  id: string;
  accountId: string;
  of: SharedId;
  payloads: boolean;
  /** The member who made it. */
  createdBy?: string;
  createdAt: string;
  expiresAt: string;
}

export interface StoredShareLink {
  id: string;
  accountId: string;
  of: SharedId;
  payloads: boolean;
  expiresAt: string;
}

interface LinkRow {
  link_id: string;
  account_id: string;
  trace_id: string | null;
  test_run_id: string | null;
  payloads: 0 | 1;
  created_by: string | null;
  created_us: number;
  expires_us: number;
  opened_us: number | null;
}

/**
 * Links that show one trace or one test run, known by the SHA-256 of their secret. Times are as in records. A link ends when it
 * expires, when it is deleted, and with its trace, its run or its account.
 */
export class ShareLinks {
  static readonly writes = ['create', 'markOpened', 'delete'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** Deletes expired links, and creates none where the account has as many as it may, or where the trace was deleted. */
  async create(
    hash: Uint8Array,
    { id, accountId, of, payloads, createdBy, createdAt, expiresAt }: NewShareLink,
    most: number,
  ): Promise<'created' | 'deleted' | 'too_many'> {
    const nowUs = parseTimestamp(createdAt);
    await this.db.run('DELETE FROM share_links WHERE account_id = :accountId AND expires_us <= :nowUs', {
      accountId,
      nowUs,
    });
    const traceId = 'traceId' in of ? of.traceId : undefined;
    const deleted = await this.db.get(
      'SELECT 1 AS found FROM deleted_traces WHERE account_id = :accountId AND trace_id = :traceId',
      { accountId, traceId },
    );
    if (deleted !== undefined) return 'deleted';
    const counted = await this.db.get<{ links: number }>(
      'SELECT count(*) AS links FROM share_links WHERE account_id = :accountId',
      { accountId },
    );
    if ((counted?.links ?? 0) >= most) return 'too_many';
    await this.db.insert('share_links', {
      link_id: id,
      hash,
      account_id: accountId,
      trace_id: traceId,
      test_run_id: 'testRunId' in of ? of.testRunId : undefined,
      payloads,
      created_by: createdBy,
      created_us: nowUs,
      expires_us: parseTimestamp(expiresAt),
    });
    return 'created';
  }

  /** A link that has not expired, of an account that is there. */
  async find(hash: Uint8Array, now: string): Promise<StoredShareLink | undefined> {
    const row = await this.db.get<LinkRow>(
      `SELECT l.* FROM share_links l JOIN accounts a ON a.account_id = l.account_id
        WHERE l.hash = :hash AND l.expires_us > :nowUs`,
      { hash, nowUs: parseTimestamp(now) },
    );
    if (row === undefined) return undefined;
    const { link_id: id, account_id: accountId, trace_id: traceId, test_run_id: testRunId } = row;
    return {
      id,
      accountId,
      of: traceId === null ? { testRunId: testRunId ?? '' } : { traceId },
      payloads: row.payloads === 1,
      expiresAt: formatTimestamp(row.expires_us),
    };
  }

  /** @returns whether it was not opened since `notSince`, so that this is worth an entry of the audit log */
  async markOpened(id: string, openedAt: string, notSince: string): Promise<boolean> {
    const changed = await this.db.run(
      `UPDATE share_links SET opened_us = :openedUs
        WHERE link_id = :id AND (opened_us IS NULL OR opened_us <= :notSinceUs)`,
      { id, openedUs: parseTimestamp(openedAt), notSinceUs: parseTimestamp(notSince) },
    );
    return changed === 1;
  }

  /** Those that have not expired, the newest first. */
  async list(accountId: string, now: string): Promise<ShareLinkSummary[]> {
    const rows = await this.db.all<LinkRow>(
      `SELECT * FROM share_links WHERE account_id = :accountId AND expires_us > :nowUs
        ORDER BY created_us DESC, link_id`,
      { accountId, nowUs: parseTimestamp(now) },
    );
    return rows.map((row) => ({
      ...withoutNulls({
        id: row.link_id,
        trace_id: row.trace_id,
        test_run_id: row.test_run_id,
        created_by: row.created_by,
        last_opened_at: timestampOrNull(row.opened_us),
      }),
      payloads: row.payloads === 1,
      created_at: formatTimestamp(row.created_us),
      expires_at: formatTimestamp(row.expires_us),
    }));
  }

  /** Whether the account had such a link. */
  async delete(accountId: string, id: string): Promise<boolean> {
    const sql = 'DELETE FROM share_links WHERE account_id = :accountId AND link_id = :id';
    return (await this.db.run(sql, { accountId, id })) === 1;
  }
}

export async function endLinksOfTraces(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
): Promise<void> {
  await db.run(
    `DELETE FROM share_links WHERE account_id = :accountId AND trace_id IS NOT NULL
      AND trace_id IN (SELECT value FROM ${db.dialect.texts(':traceIds')})`,
    { accountId, traceIds: JSON.stringify(traceIds) },
  );
}
