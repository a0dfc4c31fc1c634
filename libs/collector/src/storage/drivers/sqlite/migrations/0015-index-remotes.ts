import type { Migration } from './migration.js';

/** Where the pages of an index are fetched from, as JSON. */
export const indexRemotes: Migration = {
  id: 15,
  name: 'index-remotes',
  statements: ['ALTER TABLE indexes ADD COLUMN remote TEXT CHECK(json_valid(remote))'],
};
