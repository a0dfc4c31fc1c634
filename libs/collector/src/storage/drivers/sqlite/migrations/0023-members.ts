import type { Migration } from './migration.js';

/** People who sign in. What the audit log tells of a member outlives him, so that it keeps the name, too. */
export const members: Migration = {
  id: 23,
  name: 'members',
  statements: [
    `CREATE TABLE members(
      member_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      role TEXT NOT NULL,
      created_us INTEGER NOT NULL,
      joined_us INTEGER,
      code_hash BLOB UNIQUE CHECK(length(code_hash) = 32),
      link_hash BLOB UNIQUE CHECK(length(link_hash) = 32),
      link_expires_us INTEGER,
      UNIQUE(account_id, name_key)
    ) STRICT`,
    'ALTER TABLE browser_sessions ADD COLUMN member_id TEXT',
    'CREATE INDEX browser_sessions_of_member ON browser_sessions(member_id) WHERE member_id IS NOT NULL',
    'ALTER TABLE audit_log ADD COLUMN member_id TEXT',
    'ALTER TABLE audit_log ADD COLUMN member_name TEXT',
  ],
};
