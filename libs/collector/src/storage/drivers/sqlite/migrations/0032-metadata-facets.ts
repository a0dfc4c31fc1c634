import type { Migration } from './migration.js';

const facet = (row: 'OLD' | 'NEW'): string =>
  `'metadata:' || ${row}.key || '=' || substr(json_quote(atom), 1, 100)`;

/**
 * A value may be twice in an entry. What an upsert updates fails where its triggers insert twice, whatever they say by `OR IGNORE`:
 * the upsert's own way with conflicts counts.
 */
export const metadataFacets: Migration = {
  id: 32,
  name: 'metadata-facets',
  statements: [
    'DROP TRIGGER metadata_updated',
    `CREATE TRIGGER metadata_updated AFTER UPDATE OF value ON trace_attributes WHEN NEW.kind = 'metadata' BEGIN
      DELETE FROM trace_facets WHERE account_id = OLD.account_id AND trace_id = OLD.trace_id AND facet IN (
        SELECT ${facet('OLD')} FROM json_tree(OLD.value) WHERE type NOT IN ('object', 'array'));
      INSERT INTO trace_facets(account_id, facet, trace_id)
        SELECT NEW.account_id, ${facet('NEW')}, NEW.trace_id
        FROM json_tree(NEW.value) WHERE type NOT IN ('object', 'array')
        ON CONFLICT DO NOTHING;
    END`,
  ],
};
