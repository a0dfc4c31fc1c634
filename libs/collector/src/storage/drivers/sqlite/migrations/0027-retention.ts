import type { Migration } from './migration.js';

export const retention: Migration = {
  id: 27,
  name: 'retention',
  statements: [
    `CREATE TABLE retention_rules(
      account_id TEXT NOT NULL,
      trace_function_key TEXT NOT NULL,
      days INTEGER NOT NULL,
      PRIMARY KEY(account_id, trace_function_key)
    ) STRICT, WITHOUT ROWID`,
  ],
};
