import type { BrowserSessionSummary, Member, Scope } from '@dacapo/protocol';

export interface NewBrowserSession {
  id: string;
  accountId: string;
  /** The key that opens it; absent when a member or a sign-in link does. */
  keyId?: string;
  memberId?: string;
  browser?: string;
  createdAt: string;
  expiresAt: string;
}

export interface FoundBrowserSession {
  id: string;
  accountId: string;
  /** The key that opened it, with what it may do now. */
  key?: { id: string; scopes: readonly Scope[]; requestsPerMinute?: number };
  /** Who signed in, with the role of now. */
  member?: Member;
}

/**
 * One-time sign-in tokens and browser sessions, both known by the SHA-256 of their secret. Times are as in records. A session is
 * alive until it expires or is deleted, and while the key that opened it is in use, or the member who did so is one.
 */
export interface SignInStore {
  addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void>;
  /** The token's account; the token is deleted. */
  takeToken(hash: Uint8Array, now: string): Promise<string | undefined>;
  addSession(hash: Uint8Array, session: NewBrowserSession): Promise<void>;
  findSession(hash: Uint8Array, now: string): Promise<FoundBrowserSession | undefined>;
  /** Sessions that are alive, the newest first. */
  listSessions(accountId: string, now: string): Promise<BrowserSessionSummary[]>;
  markSessionUsed(id: string, usedAt: string): Promise<void>;
  /** Whether the account had such a session alive. */
  deleteSession(accountId: string, id: string, now: string): Promise<boolean>;
  /** How many there were alive. */
  deleteSessions(accountId: string, now: string): Promise<number>;
  deleteExpired(now: string): Promise<void>;
}
