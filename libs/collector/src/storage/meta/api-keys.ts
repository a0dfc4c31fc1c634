import { type ApiKeySummary, formatTimestamp, parseTimestamp, type Scope } from '@dacapo/protocol';
import { timestampOrNull, withoutNulls } from './rows.js';
import type { MetaTransaction } from './transaction.js';

export interface NewApiKey {
  id: string;
  accountId: string;
  name: string;
  hint: string;
  /** SHA-256 of the key. */
  hash: Uint8Array;
  scopes: readonly Scope[];
  createdAt: string;
  expiresAt?: string;
  requestsPerMinute?: number;
}

export interface StoredApiKey {
  id: string;
  accountId: string;
  hash: Uint8Array;
  scopes: readonly Scope[];
  isRevoked: boolean;
  /** Whether its account still exists: a key outlives it. */
  hasAccount: boolean;
  expiresAt?: string;
  requestsPerMinute?: number;
}

interface KeyRow {
  api_key_id: string;
  account_id: string;
  name: string;
  hint: string;
  hash: ArrayBuffer;
  scopes: string;
  created_us: number;
  last_used_us: number | null;
  expires_us: number | null;
  revoked_us: number | null;
  replaced_by: string | null;
  requests_per_minute: number | null;
}

export class ApiKeys {
  static readonly writes = ['create', 'revoke', 'replace', 'markUsed'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async create(key: NewApiKey): Promise<void> {
    await this.db.insert('api_keys', {
      api_key_id: key.id,
      account_id: key.accountId,
      name: key.name,
      hint: key.hint,
      hash: key.hash,
      scopes: JSON.stringify(key.scopes),
      created_us: parseTimestamp(key.createdAt),
      expires_us: key.expiresAt && parseTimestamp(key.expiresAt),
      requests_per_minute: key.requestsPerMinute,
    });
  }

  async findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined> {
    const row = await this.db.get<KeyRow & { owner: string | null }>(
      `SELECT api_keys.*, accounts.account_id AS owner
        FROM api_keys LEFT JOIN accounts ON accounts.account_id = api_keys.account_id WHERE hash = :hash`,
      { hash },
    );
    return (
      row &&
      withoutNulls({
        id: row.api_key_id,
        accountId: row.account_id,
        hash: new Uint8Array(row.hash),
        scopes: JSON.parse(row.scopes) as Scope[],
        isRevoked: row.revoked_us !== null,
        hasAccount: row.owner !== null,
        expiresAt: timestampOrNull(row.expires_us),
        requestsPerMinute: row.requests_per_minute,
      })
    );
  }

  /** Keys that are not revoked, oldest first, including expired ones. */
  async list(accountId: string): Promise<ApiKeySummary[]> {
    const rows = await this.db.all<KeyRow>(
      `SELECT * FROM api_keys WHERE account_id = :accountId AND revoked_us IS NULL ORDER BY created_us, api_key_id`,
      { accountId },
    );
    return rows.map((row) =>
      withoutNulls({
        id: row.api_key_id,
        name: row.name,
        hint: row.hint,
        scopes: JSON.parse(row.scopes) as Scope[],
        created_at: formatTimestamp(row.created_us),
        last_used_at: timestampOrNull(row.last_used_us),
        expires_at: timestampOrNull(row.expires_us),
        requests_per_minute: row.requests_per_minute,
        replaced_by: row.replaced_by,
      }),
    );
  }

  /** @returns whether the account had this key and it was not revoked */
  async revoke(accountId: string, id: string, revokedAt: string): Promise<boolean> {
    const changed = await this.db.run(
      `UPDATE api_keys SET revoked_us = :revokedUs
        WHERE account_id = :accountId AND api_key_id = :id AND revoked_us IS NULL`,
      { accountId, id, revokedUs: parseTimestamp(revokedAt) },
    );
    return changed === 1;
  }

  /**
   * Adds a key that replaces another one of the same account. The old key expires at `overlapEnds` at the latest.
   *
   * @returns `false`, with nothing changed, if the old key was not in use or was already replaced
   */
  async replace(id: string, successor: NewApiKey, overlapEnds: string): Promise<boolean> {
    const { accountId, id: successorId, createdAt } = successor;
    const key = await this.db.get<Pick<KeyRow, 'expires_us'>>(
      `SELECT expires_us FROM api_keys
        WHERE account_id = :accountId AND api_key_id = :id AND revoked_us IS NULL AND replaced_by IS NULL`,
      { accountId, id },
    );
    const expiresUs = key?.expires_us ?? Infinity;
    if (key === undefined || expiresUs <= (parseTimestamp(createdAt) ?? 0)) return false;
    await this.db.run(
      'UPDATE api_keys SET replaced_by = :successorId, expires_us = :ends WHERE api_key_id = :id',
      {
        id,
        successorId,
        ends: Math.min(expiresUs, parseTimestamp(overlapEnds) ?? Infinity),
      },
    );
    await this.create(successor);
    return true;
  }

  async markUsed(id: string, usedAt: string): Promise<void> {
    const sql = 'UPDATE api_keys SET last_used_us = :usedUs WHERE api_key_id = :id';
    await this.db.run(sql, { id, usedUs: parseTimestamp(usedAt) });
  }

  /** Whether any key exists, including revoked ones. */
  async hasAny(): Promise<boolean> {
    return (await this.db.get('SELECT 1 FROM api_keys LIMIT 1')) !== undefined;
  }
}
