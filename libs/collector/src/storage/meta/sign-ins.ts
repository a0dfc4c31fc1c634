import {
  type BrowserSessionSummary,
  formatTimestamp,
  type Member,
  parseTimestamp,
  type Role,
  type Scope,
} from '@dacapo/protocol';
import { timestampOrNull, withoutNulls } from './rows.js';
import type { MetaTransaction, Parameters } from './transaction.js';

export interface NewBrowserSession {
  id: string;
  accountId: string;
  /** The key that opens it; absent if a member or a sign-in link does. */
  keyId?: string;
  memberId?: string;
  browser?: string;
  createdAt: string;
  expiresAt: string;
}

export interface FoundBrowserSession {
  id: string;
  accountId: string;
  /** The key that opened it, with its current scopes. */
  key?: { id: string; scopes: readonly Scope[]; requestsPerMinute?: number };
  /** The member who signed in, with the current role. */
  member?: Member;
}

interface SessionRow {
  hash: ArrayBuffer;
  session_id: string;
  account_id: string;
  browser: string | null;
  created_us: number;
  last_used_us: number | null;
  expires_us: number;
  api_key_id: string | null;
  key_name: string | null;
  hint: string | null;
  scopes: string | null;
  requests_per_minute: number | null;
  member_id: string | null;
  member_name: string | null;
  role: Role | null;
}

const ALIVE = `SELECT s.*, k.name AS key_name, k.hint, k.scopes, k.requests_per_minute, m.name AS member_name, m.role
  FROM browser_sessions s LEFT JOIN api_keys k ON k.api_key_id = s.api_key_id
    LEFT JOIN members m ON m.member_id = s.member_id
  WHERE s.expires_us > :nowUs
    AND (s.api_key_id IS NULL OR (k.hash IS NOT NULL AND k.revoked_us IS NULL
      AND (k.expires_us IS NULL OR k.expires_us > :nowUs)))
    AND (s.member_id IS NULL OR m.account_id = s.account_id)`;

/**
 * One-time sign-in tokens and browser sessions, stored as the SHA-256 of their secret. Times are as in records. A session is alive
 * until it expires or is deleted, and only while its key is in use or its member exists.
 */
export class SignIns {
  static readonly writes = [
    'addToken',
    'takeToken',
    'addSession',
    'markSessionUsed',
    'deleteSession',
    'deleteSessions',
    'deleteExpired',
  ] as const;

  constructor(private readonly db: MetaTransaction) {}

  async addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    const row = { hash, account_id: accountId, expires_us: parseTimestamp(expiresAt) };
    await this.db.insert('sign_in_tokens', row);
  }

  /** Deletes the token. @returns its account */
  async takeToken(hash: Uint8Array, now: string): Promise<string | undefined> {
    const token = await this.db.get<{ account_id: string; expires_us: number }>(
      'SELECT account_id, expires_us FROM sign_in_tokens WHERE hash = :hash',
      { hash },
    );
    await this.db.run('DELETE FROM sign_in_tokens WHERE hash = :hash', { hash });
    return token && token.expires_us > (parseTimestamp(now) ?? Infinity) ? token.account_id : undefined;
  }

  async addSession(hash: Uint8Array, session: NewBrowserSession): Promise<void> {
    await this.db.insert('browser_sessions', {
      hash,
      session_id: session.id,
      account_id: session.accountId,
      api_key_id: session.keyId,
      member_id: session.memberId,
      browser: session.browser,
      created_us: parseTimestamp(session.createdAt),
      expires_us: parseTimestamp(session.expiresAt),
    });
  }

  async findSession(hash: Uint8Array, now: string): Promise<FoundBrowserSession | undefined> {
    const [row] = await this.listAlive(now, 's.hash = :hash', { hash });
    return (
      row &&
      withoutNulls({
        id: row.session_id,
        accountId: row.account_id,
        key:
          row.api_key_id === null
            ? null
            : withoutNulls({
                id: row.api_key_id,
                scopes: JSON.parse(row.scopes ?? '[]') as Scope[],
                requestsPerMinute: row.requests_per_minute,
              }),
        member: memberIn(row),
      })
    );
  }

  /** Sessions that are alive, newest first. */
  async listSessions(accountId: string, now: string): Promise<BrowserSessionSummary[]> {
    const rows = await this.listAlive(now, 's.account_id = :accountId', { accountId });
    return rows.map((row) =>
      withoutNulls({
        id: row.session_id,
        api_key:
          row.api_key_id === null
            ? null
            : { id: row.api_key_id, name: row.key_name ?? '', hint: row.hint ?? '' },
        member: memberIn(row),
        browser: row.browser,
        created_at: formatTimestamp(row.created_us),
        last_used_at: timestampOrNull(row.last_used_us),
        expires_at: formatTimestamp(row.expires_us),
      }),
    );
  }

  async markSessionUsed(id: string, usedAt: string): Promise<void> {
    const sql = 'UPDATE browser_sessions SET last_used_us = :usedUs WHERE session_id = :id';
    await this.db.run(sql, { id, usedUs: parseTimestamp(usedAt) });
  }

  /** @returns whether the account had this session alive */
  async deleteSession(accountId: string, id: string, now: string): Promise<boolean> {
    const condition = 's.account_id = :accountId AND s.session_id = :id';
    return (await this.deleteAlive(now, condition, { accountId, id })) === 1;
  }

  /** @returns the number of sessions that were alive */
  deleteSessions(accountId: string, now: string): Promise<number> {
    return this.deleteAlive(now, 's.account_id = :accountId', { accountId });
  }

  async deleteExpired(now: string): Promise<void> {
    for (const table of ['sign_in_tokens', 'browser_sessions']) {
      await this.db.run(`DELETE FROM ${table} WHERE expires_us <= :nowUs`, { nowUs: parseTimestamp(now) });
    }
  }

  /** Newest first. */
  private listAlive(now: string, condition: string, parameters: Parameters): Promise<SessionRow[]> {
    const sql = `${ALIVE} AND ${condition} ORDER BY s.created_us DESC, s.session_id`;
    return this.db.all(sql, { nowUs: parseTimestamp(now), ...parameters });
  }

  private async deleteAlive(now: string, condition: string, parameters: Parameters): Promise<number> {
    const alive = await this.listAlive(now, condition, parameters);
    for (const { session_id: id } of alive) {
      await this.db.run('DELETE FROM browser_sessions WHERE session_id = :id', { id });
    }
    return alive.length;
  }
}

function memberIn({ member_id: id, member_name: name, role }: SessionRow): Member | null {
  return id === null || name === null || role === null ? null : { id, name, role };
}
