import type { ApiKeySummary } from '@dacapo/protocol';
import type { ApiKeyStore, NewApiKey, StoredApiKey } from '../../api-key-store.js';

export class MemoryApiKeyStore implements ApiKeyStore {
  private readonly keys: (NewApiKey & { revokedAt?: string; usedAt?: string })[] = [];

  /** The key, while it is in use. */
  inUse(id: string): NewApiKey | undefined {
    return this.keys.find((key) => key.id === id && key.revokedAt === undefined);
  }

  create(key: NewApiKey): Promise<void> {
    this.keys.push({ ...key });
    return Promise.resolve();
  }

  findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined> {
    const key = this.keys.find((one) => Buffer.from(one.hash).equals(hash));
    return Promise.resolve(key && { ...key, isRevoked: key.revokedAt !== undefined });
  }

  list(accountId: string): Promise<ApiKeySummary[]> {
    const keys = this.keys.filter((key) => key.accountId === accountId && key.revokedAt === undefined);
    return Promise.resolve(
      keys.map(({ id, name, hint, scopes, createdAt, usedAt }) => ({
        id,
        name,
        hint,
        scopes: [...scopes],
        created_at: createdAt,
        ...(usedAt !== undefined && { last_used_at: usedAt }),
      })),
    );
  }

  revoke(accountId: string, id: string, revokedAt: string): Promise<boolean> {
    const key = this.keys.find((one) => one.accountId === accountId && one.id === id && !one.revokedAt);
    if (key) key.revokedAt = revokedAt;
    return Promise.resolve(key !== undefined);
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
