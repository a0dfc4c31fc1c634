import type { Migration } from './migration.js';

/** `api_keys` outlives accounts: the key of a deleted account must be told from an unknown one (SPEC 7). */
export const accounts: Migration = {
  id: 2,
  name: 'accounts',
  statements: [
    `CREATE TABLE accounts(
      account_id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      created_us INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE api_keys(
      api_key_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      name TEXT NOT NULL,
      hint TEXT NOT NULL,
      hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
      created_us INTEGER NOT NULL,
      last_used_us INTEGER,
      revoked_us INTEGER
    ) STRICT`,
    `CREATE INDEX api_keys_in_use ON api_keys(account_id, created_us) WHERE revoked_us IS NULL`,
    `CREATE TABLE sign_in_tokens(
      hash BLOB PRIMARY KEY CHECK(length(hash) = 32),
      account_id TEXT NOT NULL,
      expires_us INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE browser_sessions(
      hash BLOB PRIMARY KEY CHECK(length(hash) = 32),
      account_id TEXT NOT NULL,
      expires_us INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};
