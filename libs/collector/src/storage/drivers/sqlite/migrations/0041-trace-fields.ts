import type { Migration } from './migration.js';

const LABELS = ['user_id', 'environment', 'release'] as const;

const saidColumn = (label: (typeof LABELS)[number]): string => `${label.replace(/_id$/, '')}_us`;

/** Most traces of an account without users or releases are in none of these indexes. */
const indexed = (label: (typeof LABELS)[number]): string =>
  `CREATE INDEX traces_by_${label.replace(/_id$/, '')} ON traces(account_id, ${label}, started_us DESC, trace_id DESC)
    WHERE ${label} IS NOT NULL`;

/** Another span of the trace may have it, too. */
const forgetFacet = (column: 'kind' | 'level'): string => `DELETE FROM trace_facets
  WHERE account_id = OLD.account_id AND facet = '${column}:' || OLD.${column} AND trace_id = OLD.trace_id
    AND NOT EXISTS (SELECT 1 FROM spans s WHERE s.account_id = OLD.account_id AND s.trace_id = OLD.trace_id
      AND s.${column} = OLD.${column})`;

const FORGET_TAGS = `DELETE FROM trace_facets WHERE account_id = OLD.account_id AND trace_id = OLD.trace_id
  AND facet IN (SELECT 'tag:' || value FROM json_each(OLD.tags))`;

/** Users, environments, releases and tags of traces; kinds and levels of spans. Users are deleted as sessions are. */
export const traceFields: Migration = {
  id: 41,
  name: 'trace-fields',
  statements: [
    ...LABELS.flatMap((label) => [
      `ALTER TABLE traces ADD COLUMN ${label} TEXT`,
      `ALTER TABLE traces ADD COLUMN ${saidColumn(label)} INTEGER`,
      indexed(label),
    ]),
    'ALTER TABLE traces ADD COLUMN tags TEXT',
    'ALTER TABLE traces ADD COLUMN tags_us INTEGER',
    'ALTER TABLE spans ADD COLUMN kind TEXT',
    'ALTER TABLE spans ADD COLUMN level TEXT',
    `CREATE TRIGGER tags_updated AFTER UPDATE OF tags ON traces BEGIN
      ${FORGET_TAGS};
      INSERT INTO trace_facets(account_id, facet, trace_id)
        SELECT NEW.account_id, 'tag:' || value, NEW.trace_id FROM json_each(NEW.tags) WHERE true
        ON CONFLICT DO NOTHING;
    END`,
    `CREATE TRIGGER tags_deleted AFTER DELETE ON traces WHEN OLD.tags IS NOT NULL BEGIN
      ${FORGET_TAGS};
    END`,
    `CREATE TRIGGER fields_of_deleted_spans AFTER DELETE ON spans WHEN coalesce(OLD.kind, OLD.level) IS NOT NULL BEGIN
      ${forgetFacet('kind')};
      ${forgetFacet('level')};
    END`,
    'ALTER TABLE deleted_sessions RENAME TO deleted_groups',
  ],
};
