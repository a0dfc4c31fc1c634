import type { Migration } from './migration.js';

/** Keys that were made before could do everything, and go on so. */
export const keyScopes: Migration = {
  id: 12,
  name: 'key-scopes',
  statements: [
    `ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT '["ingest","read","replay","manage"]'`,
  ],
};
