import type { Migration } from './migration.js';

export const auditLog: Migration = {
  id: 19,
  name: 'audit-log',
  statements: [
    `CREATE TABLE audit_log(
      entry_no INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      at_us INTEGER NOT NULL,
      action TEXT NOT NULL,
      object TEXT,
      api_key_id TEXT,
      session_id TEXT
    ) STRICT`,
    'CREATE INDEX audit_log_of_account ON audit_log(account_id, entry_no)',
    'CREATE INDEX audit_log_by_time ON audit_log(at_us)',
  ],
};
