/** One-time sign-in tokens and browser sessions, both known by the SHA-256 of their secret. */
export interface SignInStore {
  addToken(hash: Uint8Array, accountId: string, expiresUs: number): Promise<void>;
  /** The token's account; the token is gone afterwards. */
  takeToken(hash: Uint8Array, nowUs: number): Promise<string | undefined>;
  addSession(hash: Uint8Array, accountId: string, expiresUs: number): Promise<void>;
  /** The session's account, unless it has expired. */
  findSession(hash: Uint8Array, nowUs: number): Promise<string | undefined>;
  deleteSession(hash: Uint8Array): Promise<void>;
  deleteExpired(nowUs: number): Promise<void>;
}
