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
  expiresAt?: string;
  requestsPerMinute?: number;
}

export interface StoredApiKey {
  id: string;
  accountId: string;
  hash: Uint8Array;
  scopes: readonly Scope[];
  isRevoked: boolean;
  /** Whether its account is there: a key outlives it. */
  hasAccount: boolean;
  expiresAt?: string;
  requestsPerMinute?: number;
}

export interface ApiKeyStore {
  create(key: NewApiKey): Promise<void>;
  findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined>;
  /** Keys that are not revoked, the oldest first: expired ones too. */
  list(accountId: string): Promise<ApiKeySummary[]>;
  /** Whether the account had such a key in use. */
  revoke(accountId: string, id: string, revokedAt: string): Promise<boolean>;
  /**
   * Adds a key of the same account that takes the place of another, which expires at `overlapEnds` unless it does so before.
   *
   * @returns whether that other one was in use, and nothing had taken its place before; else nothing is changed
   */
  replace(id: string, successor: NewApiKey, overlapEnds: string): Promise<boolean>;
  markUsed(id: string, usedAt: string): Promise<void>;
  /** Whether any key was ever created, revoked ones included. */
  hasAny(): Promise<boolean>;
}
