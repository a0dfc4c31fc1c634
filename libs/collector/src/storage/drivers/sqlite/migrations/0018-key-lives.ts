import type { Migration } from './migration.js';

/** Keys expire, are replaced by others, and have a limit of requests. */
export const keyLives: Migration = {
  id: 18,
  name: 'key-lives',
  statements: [
    'ALTER TABLE api_keys ADD COLUMN expires_us INTEGER',
    'ALTER TABLE api_keys ADD COLUMN replaced_by TEXT',
    'ALTER TABLE api_keys ADD COLUMN requests_per_minute INTEGER',
  ],
};
