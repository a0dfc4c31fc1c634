import type { ApiKeySummary, Scope } from '@dacapo/protocol';

export interface NewApiKey {
  id: string;
  accountId: string;
  name: string;
  hint: string;
  /** SHA-256 of the key. */
  hash: Uint8Array;
  scopes: readonly Scope[];
  createdAt: string;
}

export interface StoredApiKey {
  id: string;
  accountId: string;
  hash: Uint8Array;
  scopes: readonly Scope[];
  isRevoked: boolean;
}

export interface ApiKeyStore {
  create(key: NewApiKey): Promise<void>;
  findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined>;
  /** Keys in use, the oldest first. */
  list(accountId: string): Promise<ApiKeySummary[]>;
  /** Whether the account had such a key in use. */
  revoke(accountId: string, id: string, revokedAt: string): Promise<boolean>;
  markUsed(id: string, usedAt: string): Promise<void>;
  /** Whether any key was ever created, revoked ones included. */
  hasAny(): Promise<boolean>;
}
