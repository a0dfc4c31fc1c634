import type { Member } from '../records/member.js';

/**
 * What a key may do. `ingest` sends spans, traces and scores; `read` sees and searches what is stored; `replay` plays stored
 * calls, keeps runs, accepted outcomes and datasets, and so does what `ingest` and `read` do; `manage` makes and revokes keys,
 * changes indexes and native functions, and deletes.
 */
export const SCOPES = ['ingest', 'read', 'replay', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a key with `scopes` may do what `needed` names. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  // A replay reads the calls that it plays, and records what the new version does.
  const isOfReplay = needed === 'ingest' || needed === 'read';
  return scopes.includes(needed) || (isOfReplay && scopes.includes('replay'));
}

/** `POST` {@link ROUTES.apiKeys}. */
export interface CreateApiKeyRequest {
  name: string;
  /** `ingest` alone when absent. Nobody gives a scope that he has not. */
  scopes?: Scope[];
  /** It is refused from then on; never when absent. */
  expires_at?: string;
  /** How often it may ask in a minute, a sixth of it at once; as often as it wants to when absent. */
  requests_per_minute?: number;
}

/** A key may ask so often in a minute at most, if it has a limit at all. */
export const MOST_REQUESTS_PER_MINUTE = 1_000_000;

/** `POST` {@link ROUTES.rotateApiKey}: makes a key that takes the place of this one. */
export interface RotateApiKeyRequest {
  /** How long the old key is taken beside the new one, in seconds, up to 30 days; a day when absent. */
  overlap_s?: number;
}

/** The new key: of the same name, scopes and limit, and with as long a life. */
export interface RotatedApiKey extends CreatedApiKey {
  replaces: { id: string; expires_at: string };
}

export const DEFAULT_OVERLAP_S = 24 * 3600;
export const LONGEST_OVERLAP_S = 30 * 24 * 3600;

export interface ApiKeySummary {
  id: string;
  name: string;
  /** The key's first and last characters; the rest is not kept. */
  hint: string;
  scopes: Scope[];
  created_at: string;
  /** Noted once a minute at most. */
  last_used_at?: string;
  /** In the past: it is refused. */
  expires_at?: string;
  requests_per_minute?: number;
  /** The id of the key that takes its place. */
  replaced_by?: string;
}

export interface CreatedApiKey extends ApiKeySummary {
  /** The whole key, shown this once. */
  api_key: string;
}

/** `GET` {@link ROUTES.account} and `GET` {@link ROUTES.browserSession}. */
export interface CallerDetail extends AccountDetail {
  /** What the key, or the browser session, may do. */
  scopes: Scope[];
  /** Who is signed in: absent of a key, and of a browser that a key or the service's own link signed in. */
  member?: Member;
}

/**
 * A browser that is signed in. It may do what the key may that opened it, or the member who signed in, and ends with that key or
 * with that member.
 */
export interface BrowserSessionSummary {
  id: string;
  /** The key that opened it. Without a key and a member it was opened by the service's own link, and may do everything. */
  api_key?: { id: string; name: string; hint: string };
  /** Who signed in. */
  member?: Member;
  /** As its browser calls itself, such as `Firefox on Linux`. */
  browser?: string;
  created_at: string;
  /** Noted once a minute at most. */
  last_used_at?: string;
  expires_at: string;
  /** The one that asks. */
  is_current?: true;
}

/** `DELETE` {@link ROUTES.browserSessions}: signs out everywhere, the asking browser too. */
export interface EndBrowserSessionsAnswer {
  ended: number;
}

/** `POST` {@link ROUTES.accounts}. */
export interface CreateAccountRequest {
  name: string;
}

/** An account with its first key, which has every scope. */
export interface CreatedAccount {
  account: AccountDetail;
  api_key: CreatedApiKey;
}

export interface AccountDetail {
  id: string;
  name: string;
  created_at: string;
}
