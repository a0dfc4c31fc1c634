import type { ApiKeySummary } from '@dacapo/protocol';
import type { ApiKeyStore, NewApiKey, StoredApiKey } from '../../api-key-store.js';

type StoredKey = NewApiKey & { revokedAt?: string; usedAt?: string; replacedBy?: string };

function isInUse({ revokedAt, expiresAt }: StoredKey, now: string): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

export class MemoryApiKeyStore implements ApiKeyStore {
  private readonly keys: StoredKey[] = [];

  constructor(private readonly hasAccount: (accountId: string) => boolean) {}

  /** The keys stay known as those of an account that was deleted. */
  deleteAccount(accountId: string): void {
    for (const key of this.keys) if (key.accountId === accountId) key.name = '';
  }

  find(id: string): NewApiKey | undefined {
    return this.keys.find((key) => key.id === id);
  }

  /** The key, while it is neither revoked nor expired. */
  inUse(id: string, now: string): NewApiKey | undefined {
    return this.keys.find((key) => key.id === id && isInUse(key, now));
  }

  create(key: NewApiKey): Promise<void> {
    this.keys.push({ ...key });
    return Promise.resolve();
  }

  findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined> {
    const key = this.keys.find((one) => Buffer.from(one.hash).equals(hash));
    return Promise.resolve(
      key && {
        ...key,
        isRevoked: key.revokedAt !== undefined,
        hasAccount: this.hasAccount(key.accountId),
      },
    );
  }

  list(accountId: string): Promise<ApiKeySummary[]> {
    const keys = this.keys.filter((key) => key.accountId === accountId && key.revokedAt === undefined);
    return Promise.resolve(
      keys.map(({ id, name, hint, scopes, createdAt, ...key }) => ({
        id,
        name,
        hint,
        scopes: [...scopes],
        created_at: createdAt,
        ...(key.usedAt !== undefined && { last_used_at: key.usedAt }),
        ...(key.expiresAt !== undefined && { expires_at: key.expiresAt }),
        ...(key.requestsPerMinute !== undefined && { requests_per_minute: key.requestsPerMinute }),
        ...(key.replacedBy !== undefined && { replaced_by: key.replacedBy }),
      })),
    );
  }

  revoke(accountId: string, id: string, revokedAt: string): Promise<boolean> {
    const key = this.keys.find((one) => one.accountId === accountId && one.id === id && !one.revokedAt);
    if (key) key.revokedAt = revokedAt;
    return Promise.resolve(key !== undefined);
  }

  replace(id: string, successor: NewApiKey, overlapEnds: string): Promise<boolean> {
    const key = this.keys.find((one) => one.accountId === successor.accountId && one.id === id);
    if (!key || !isInUse(key, successor.createdAt) || key.replacedBy !== undefined) {
      return Promise.resolve(false);
    }
    key.replacedBy = successor.id;
    if (key.expiresAt === undefined || key.expiresAt > overlapEnds) key.expiresAt = overlapEnds;
    this.keys.push({ ...successor });
    return Promise.resolve(true);
  }

  markUsed(id: string, usedAt: string): Promise<void> {
    const key = this.keys.find((one) => one.id === id);
    if (key) key.usedAt = usedAt;
    return Promise.resolve();
  }

  hasAny(): Promise<boolean> {
    return Promise.resolve(this.keys.length > 0);
  }
}
