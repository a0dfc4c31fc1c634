import type { AccountDetail } from './bodies.js';

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
}

export interface ApiKeySummary {
  id: string;
  name: string;
  /** The key's first and last characters; the rest is not kept. */
  hint: string;
  scopes: Scope[];
  created_at: string;
  /** Noted once a minute at most. */
  last_used_at?: string;
}

export interface CreatedApiKey extends ApiKeySummary {
  /** The whole key, shown this once. */
  api_key: string;
}

/** `GET` {@link ROUTES.account} and `GET` {@link ROUTES.browserSession}. */
export interface CallerDetail extends AccountDetail {
  /** What the key, or the browser session, may do. */
  scopes: Scope[];
}

/** A browser that is signed in. It may do what the key may that opened it, and ends with that key. */
export interface BrowserSessionSummary {
  id: string;
  /** The key that opened it. Absent of one that a sign-in link opened, which may do everything. */
  api_key?: { id: string; name: string; hint: string };
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
