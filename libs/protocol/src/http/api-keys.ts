import type { Member } from '../records/member.js';

/**
 * Permissions of a key:
 *
 * - `ingest` sends spans, traces and scores.
 * - `read` reads and searches stored data.
 * - `replay` replays recorded calls and writes runs, accepted outcomes and datasets. It includes `ingest` and `read`.
 * - `manage` creates and revokes keys, changes indexes and native functions, and deletes data.
 */
export const SCOPES = ['ingest', 'read', 'replay', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a key with `scopes` has the permission `needed`. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  // A replay reads recorded calls and records the new ones.
  const isOfReplay = needed === 'ingest' || needed === 'read';
  return scopes.includes(needed) || (isOfReplay && scopes.includes('replay'));
}

/** `POST` {@link ROUTES.apiKeys}. */
export interface CreateApiKeyRequest {
  name: string;
  /** Default: `ingest` only. A caller can grant only scopes that it has. */
  scopes?: Scope[];
  /** The service rejects the key from this time on. Default: never. */
  expires_at?: string;
  /** Rate limit, with bursts of a sixth of it. Default: unlimited. */
  requests_per_minute?: number;
}

/** The highest rate limit that a key can have. */
export const MOST_REQUESTS_PER_MINUTE = 1_000_000;

/** `POST` {@link ROUTES.rotateApiKey}: creates a key that replaces this one. */
export interface RotateApiKeyRequest {
  /** How long the old key keeps working, in seconds, up to 30 days. Default: one day. */
  overlap_s?: number;
}

/** The new key, with the same name, scopes, rate limit and lifetime. */
export interface RotatedApiKey extends CreatedApiKey {
  replaces: { id: string; expires_at: string };
}

export const DEFAULT_OVERLAP_S = 24 * 3600;
export const LONGEST_OVERLAP_S = 30 * 24 * 3600;

export interface ApiKeySummary {
  id: string;
  name: string;
  /** The key's first and last characters. The service does not store the rest. */
  hint: string;
  scopes: Scope[];
  created_at: string;
  /** Updated at most once a minute. */
  last_used_at?: string;
  /** The service rejects the key from this time on. */
  expires_at?: string;
  requests_per_minute?: number;
  /** The id of the key that replaces it. */
  replaced_by?: string;
}

export interface CreatedApiKey extends ApiKeySummary {
  /** The complete key. Only this response contains it. */
  api_key: string;
}

/** `GET` {@link ROUTES.account} and `GET` {@link ROUTES.browserSession}. */
export interface CallerDetail extends AccountDetail {
  /** Permissions of the key or the browser session. */
  scopes: Scope[];
  /** The signed-in member. Absent for a key, and for a browser that a key or the service's own link signed in. */
  member?: Member;
}

/**
 * A signed-in browser. It has the permissions of the key or the member that signed it in, and ends when that key or member is
 * removed.
 */
export interface BrowserSessionSummary {
  id: string;
  /** The key that signed it in. Without a key and a member, the service's own link signed it in, with all permissions. */
  api_key?: { id: string; name: string; hint: string };
  /** The member who signed in. */
  member?: Member;
  /** Name that the browser reports, such as `Firefox on Linux`. */
  browser?: string;
  created_at: string;
  /** Updated at most once a minute. */
  last_used_at?: string;
  expires_at: string;
  /** The session of this request. */
  is_current?: true;
}

/** `DELETE` {@link ROUTES.browserSessions}: signs out everywhere, including this browser. */
export interface EndBrowserSessionsAnswer {
  ended: number;
}

/** `POST` {@link ROUTES.accounts}. */
export interface CreateAccountRequest {
  name: string;
}

/** An account with its first key, which has all scopes. */
export interface CreatedAccount {
  account: AccountDetail;
  api_key: CreatedApiKey;
}

export interface AccountDetail {
  id: string;
  name: string;
  created_at: string;
}
