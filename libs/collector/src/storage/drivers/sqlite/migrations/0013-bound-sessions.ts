import type { Migration } from './migration.js';

/**
 * A browser session is bound to the key that opened it. Which one that was is not known of older sessions: they end here, and their
 * browsers sign in again.
 */
export const boundSessions: Migration = {
  id: 13,
  name: 'bound-sessions',
  statements: [
    'DROP TABLE browser_sessions',
    `CREATE TABLE browser_sessions(
      hash BLOB PRIMARY KEY CHECK(length(hash) = 32),
      session_id TEXT NOT NULL UNIQUE,
      account_id TEXT NOT NULL,
      api_key_id TEXT,
      browser TEXT,
      created_us INTEGER NOT NULL,
      last_used_us INTEGER,
      expires_us INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX browser_sessions_of_account ON browser_sessions(account_id, created_us)',
  ],
};
