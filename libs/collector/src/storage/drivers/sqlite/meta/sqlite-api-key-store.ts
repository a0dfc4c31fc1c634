import { type ApiKeySummary, formatTimestamp, parseTimestamp, type Scope } from '@dacapo/protocol';
import type { ApiKeyStore, NewApiKey, StoredApiKey } from '../../../api-key-store.js';
import type { Connection, Reader, Step } from '../connection.js';

interface SummaryRow {
  api_key_id: string;
  name: string;
  hint: string;
  scopes: string;
  created_us: number;
  last_used_us: number | null;
  expires_us: number | null;
  requests_per_minute: number | null;
  replaced_by: string | null;
}

export class SqliteApiKeyStore implements ApiKeyStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  async create(key: NewApiKey): Promise<void> {
    await this.writer.write([insertionOf(key)]);
  }

  async findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined> {
    const [row] = await this.reader.all<{
      api_key_id: string;
      account_id: string;
      hash: ArrayBuffer;
      scopes: string;
      is_revoked: 0 | 1;
      has_account: 0 | 1;
      expires_us: number | null;
      requests_per_minute: number | null;
    }>(
      `SELECT api_key_id, account_id, hash, scopes, revoked_us IS NOT NULL AS is_revoked, expires_us,
          requests_per_minute,
          EXISTS (SELECT 1 FROM accounts WHERE accounts.account_id = api_keys.account_id) AS has_account
        FROM api_keys WHERE hash = ?`,
      [hash],
    );
    return (
      row && {
        id: row.api_key_id,
        accountId: row.account_id,
        hash: new Uint8Array(row.hash),
        scopes: JSON.parse(row.scopes) as Scope[],
        isRevoked: row.is_revoked === 1,
        hasAccount: row.has_account === 1,
        ...(row.expires_us !== null && { expiresAt: formatTimestamp(row.expires_us) }),
        ...(row.requests_per_minute !== null && { requestsPerMinute: row.requests_per_minute }),
      }
    );
  }

  async list(accountId: string): Promise<ApiKeySummary[]> {
    const rows = await this.reader.all<SummaryRow>(
      `SELECT api_key_id, name, hint, scopes, created_us, last_used_us, expires_us, requests_per_minute,
          replaced_by FROM api_keys
        WHERE account_id = ? AND revoked_us IS NULL ORDER BY created_us, api_key_id`,
      [accountId],
    );
    return rows.map((row) => ({
      id: row.api_key_id,
      name: row.name,
      hint: row.hint,
      scopes: JSON.parse(row.scopes) as Scope[],
      created_at: formatTimestamp(row.created_us),
      ...(row.last_used_us !== null && { last_used_at: formatTimestamp(row.last_used_us) }),
      ...(row.expires_us !== null && { expires_at: formatTimestamp(row.expires_us) }),
      ...(row.requests_per_minute !== null && { requests_per_minute: row.requests_per_minute }),
      ...(row.replaced_by !== null && { replaced_by: row.replaced_by }),
    }));
  }

  async revoke(accountId: string, id: string, revokedAt: string): Promise<boolean> {
    const [outcome] = await this.writer.write([
      {
        sql: 'UPDATE api_keys SET revoked_us = ? WHERE account_id = ? AND api_key_id = ? AND revoked_us IS NULL',
        rows: [[parseTimestamp(revokedAt), accountId, id]],
      },
    ]);
    return outcome?.changes === 1;
  }

  async replace(id: string, successor: NewApiKey, overlapEnds: string): Promise<boolean> {
    const ends = parseTimestamp(overlapEnds);
    const [outcome] = await this.writer.write([
      {
        sql: `UPDATE api_keys SET replaced_by = ?, expires_us = min(coalesce(expires_us, ?), ?)
          WHERE account_id = ? AND api_key_id = ? AND revoked_us IS NULL AND replaced_by IS NULL
            AND coalesce(expires_us > ?, TRUE)`,
        rows: [[successor.id, ends, ends, successor.accountId, id, parseTimestamp(successor.createdAt)]],
        mustChange: true,
      },
      insertionOf(successor),
    ]);
    return outcome?.changes === 1;
  }

  async markUsed(id: string, usedAt: string): Promise<void> {
    await this.writer.write([
      {
        sql: 'UPDATE api_keys SET last_used_us = ? WHERE api_key_id = ?',
        rows: [[parseTimestamp(usedAt), id]],
      },
    ]);
  }

  async hasAny(): Promise<boolean> {
    return (await this.reader.all('SELECT 1 FROM api_keys LIMIT 1')).length > 0;
  }
}

function insertionOf(key: NewApiKey): Step {
  return {
    sql: `INSERT INTO api_keys(api_key_id, account_id, name, hint, hash, scopes, created_us, expires_us, requests_per_minute)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rows: [
      [
        ...[key.id, key.accountId, key.name, key.hint, key.hash, JSON.stringify(key.scopes)],
        parseTimestamp(key.createdAt),
        key.expiresAt === undefined ? undefined : parseTimestamp(key.expiresAt),
        key.requestsPerMinute,
      ],
    ],
  };
}
