/** One-time sign-in tokens and browser sessions, both known by the SHA-256 of their secret. Times are as in records. */
export interface SignInStore {
  addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void>;
  /** The token's account; the token is gone afterwards. */
  takeToken(hash: Uint8Array, now: string): Promise<string | undefined>;
  addSession(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void>;
  /** The session's account, unless it has expired. */
  findSession(hash: Uint8Array, now: string): Promise<string | undefined>;
  deleteSession(hash: Uint8Array): Promise<void>;
  deleteExpired(now: string): Promise<void>;
}
