import {
  type BrowserSessionSummary,
  formatTimestamp,
  type Member,
  parseTimestamp,
  type Role,
  type Scope,
} from '@dacapo/protocol';
import type { FoundBrowserSession, NewBrowserSession, SignInStore } from '../../../sign-in-store.js';
import type { Connection, Reader } from '../connection.js';

const ALIVE = `FROM browser_sessions LEFT JOIN api_keys USING (api_key_id) LEFT JOIN members USING (member_id)
  WHERE browser_sessions.expires_us > ?1
    AND (browser_sessions.api_key_id IS NULL OR (api_keys.hash IS NOT NULL AND api_keys.revoked_us IS NULL
      AND coalesce(api_keys.expires_us > ?1, TRUE)))
    AND (browser_sessions.member_id IS NULL OR members.account_id = browser_sessions.account_id)`;
const MEMBER = 'browser_sessions.member_id, members.name AS member_name, role';

interface MemberColumns {
  member_id: string | null;
  member_name: string | null;
  role: Role | null;
}

interface SessionRow extends MemberColumns {
  session_id: string;
  api_key_id: string | null;
  name: string | null;
  hint: string | null;
  browser: string | null;
  created_us: number;
  last_used_us: number | null;
  expires_us: number;
}

export class SqliteSignInStore implements SignInStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  async addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    await this.writer.write([
      {
        sql: 'INSERT INTO sign_in_tokens(hash, account_id, expires_us) VALUES (?, ?, ?)',
        rows: [[hash, accountId, parseTimestamp(expiresAt)]],
      },
    ]);
  }

  async takeToken(hash: Uint8Array, now: string): Promise<string | undefined> {
    const [outcome] = await this.writer.write([
      { sql: 'DELETE FROM sign_in_tokens WHERE hash = ? RETURNING account_id, expires_us', rows: [[hash]] },
    ]);
    const [row] = (outcome?.rows ?? []) as { account_id: string; expires_us: number }[];
    return row && row.expires_us > (parseTimestamp(now) ?? Infinity) ? row.account_id : undefined;
  }

  async addSession(hash: Uint8Array, session: NewBrowserSession): Promise<void> {
    const { id, accountId, keyId, memberId, browser, createdAt, expiresAt } = session;
    await this.writer.write([
      {
        sql: `INSERT INTO browser_sessions(hash, session_id, account_id, api_key_id, member_id, browser, created_us, expires_us)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        rows: [
          [
            ...[hash, id, accountId, keyId, memberId, browser],
            ...[parseTimestamp(createdAt), parseTimestamp(expiresAt)],
          ],
        ],
      },
    ]);
  }

  async findSession(hash: Uint8Array, now: string): Promise<FoundBrowserSession | undefined> {
    const [row] = await this.reader.all<
      MemberColumns & {
        session_id: string;
        account_id: string;
        api_key_id: string | null;
        scopes: string | null;
        requests_per_minute: number | null;
      }
    >(
      `SELECT session_id, browser_sessions.account_id, browser_sessions.api_key_id, scopes, requests_per_minute, ${MEMBER}
        ${ALIVE} AND browser_sessions.hash = ?2`,
      [parseTimestamp(now), hash],
    );
    return (
      row && {
        id: row.session_id,
        accountId: row.account_id,
        ...(row.api_key_id !== null && {
          key: {
            id: row.api_key_id,
            scopes: JSON.parse(row.scopes ?? '[]') as Scope[],
            ...(row.requests_per_minute !== null && { requestsPerMinute: row.requests_per_minute }),
          },
        }),
        ...memberOf(row),
      }
    );
  }

  async listSessions(accountId: string, now: string): Promise<BrowserSessionSummary[]> {
    const rows = await this.reader.all<SessionRow>(
      `SELECT session_id, browser_sessions.api_key_id, api_keys.name, hint, browser, browser_sessions.created_us,
          browser_sessions.last_used_us, browser_sessions.expires_us, ${MEMBER}
        ${ALIVE} AND browser_sessions.account_id = ?2 ORDER BY browser_sessions.created_us DESC, session_id`,
      [parseTimestamp(now), accountId],
    );
    return rows.map(toSummary);
  }

  async markSessionUsed(id: string, usedAt: string): Promise<void> {
    await this.writer.write([
      {
        sql: 'UPDATE browser_sessions SET last_used_us = ? WHERE session_id = ?',
        rows: [[parseTimestamp(usedAt), id]],
      },
    ]);
  }

  async deleteSession(accountId: string, id: string, now: string): Promise<boolean> {
    return (await this.deleteAlive(now, 'account_id = ?2 AND session_id = ?3', [accountId, id])) === 1;
  }

  deleteSessions(accountId: string, now: string): Promise<number> {
    return this.deleteAlive(now, 'account_id = ?2', [accountId]);
  }

  async deleteExpired(now: string): Promise<void> {
    await this.writer.write([
      { sql: 'DELETE FROM sign_in_tokens WHERE expires_us <= ?', rows: [[parseTimestamp(now)]] },
      { sql: 'DELETE FROM browser_sessions WHERE expires_us <= ?', rows: [[parseTimestamp(now)]] },
    ]);
  }

  private async deleteAlive(now: string, condition: string, parameters: string[]): Promise<number> {
    const [outcome] = await this.writer.write([
      {
        sql: `DELETE FROM browser_sessions WHERE ${condition}
          AND hash IN (SELECT browser_sessions.hash ${ALIVE})`,
        rows: [[parseTimestamp(now), ...parameters]],
      },
    ]);
    return outcome?.changes ?? 0;
  }
}

function memberOf({ member_id: id, member_name: name, role }: MemberColumns): { member?: Member } {
  return id === null || name === null || role === null ? {} : { member: { id, name, role } };
}

function toSummary(row: SessionRow): BrowserSessionSummary {
  return {
    id: row.session_id,
    ...(row.api_key_id !== null && {
      api_key: { id: row.api_key_id, name: row.name ?? '', hint: row.hint ?? '' },
    }),
    ...memberOf(row),
    ...(row.browser !== null && { browser: row.browser }),
    created_at: formatTimestamp(row.created_us),
    ...(row.last_used_us !== null && { last_used_at: formatTimestamp(row.last_used_us) }),
    expires_at: formatTimestamp(row.expires_us),
  };
}
