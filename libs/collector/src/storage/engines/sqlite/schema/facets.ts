/** Finds candidates for a filter, which are then read and checked. There may be outdated facets, but none are missing. */
const FACETS = `CREATE TABLE trace_facets(
  account_id TEXT NOT NULL,
  facet TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  PRIMARY KEY(account_id, facet, trace_id)
) STRICT, WITHOUT ROWID`;

const SPAN_FACETS = ['name', 'type', 'model', 'kind', 'level'] as const;

/** Another span of the trace may have the same value. */
const deleteSpanFacet = (column: (typeof SPAN_FACETS)[number]): string => `DELETE FROM trace_facets
    WHERE account_id = OLD.account_id AND facet = '${column}:' || OLD.${column} AND trace_id = OLD.trace_id
      AND NOT EXISTS (SELECT 1 FROM spans s WHERE s.account_id = OLD.account_id AND s.trace_id = OLD.trace_id
        AND s.${column} = OLD.${column})`;

/** The facets of a metadata entry: its name and each leaf of its value, cut. */
const metadataFacets = (row: 'OLD' | 'NEW'): string =>
  `SELECT 'metadata:' || ${row}.key || '=' || substr(json_quote(atom), 1, 100) AS facet
      FROM json_tree(${row}.value) WHERE type NOT IN ('object', 'array')`;

const OLD_TRACE = 'account_id = OLD.account_id AND trace_id = OLD.trace_id';

const DELETE_METADATA = `DELETE FROM trace_facets WHERE ${OLD_TRACE} AND facet IN (${metadataFacets('OLD')})`;

/** `DO NOTHING`, because the conflict clause of an upsert overrides an `OR IGNORE` in its triggers. */
const ADD_METADATA = `INSERT INTO trace_facets(account_id, facet, trace_id)
    SELECT NEW.account_id, facet, NEW.trace_id FROM (${metadataFacets('NEW')}) WHERE true
    ON CONFLICT DO NOTHING`;

const DELETE_TAGS = `DELETE FROM trace_facets WHERE ${OLD_TRACE}
    AND facet IN (SELECT 'tag:' || value FROM json_each(OLD.tags))`;

export const FACET_TABLES = [
  FACETS,
  `CREATE TRIGGER facets_of_deleted_spans AFTER DELETE ON spans BEGIN
  ${SPAN_FACETS.map(deleteSpanFacet).join(';\n  ')};
END`,
  `CREATE TRIGGER metadata_inserted AFTER INSERT ON trace_attributes WHEN NEW.kind = 'metadata' BEGIN
  ${ADD_METADATA};
END`,
  `CREATE TRIGGER metadata_updated AFTER UPDATE OF value ON trace_attributes WHEN NEW.kind = 'metadata' BEGIN
  ${DELETE_METADATA};
  ${ADD_METADATA};
END`,
  `CREATE TRIGGER metadata_deleted AFTER DELETE ON trace_attributes WHEN OLD.kind = 'metadata' BEGIN
  ${DELETE_METADATA};
END`,
  `CREATE TRIGGER tags_updated AFTER UPDATE OF tags ON traces BEGIN
  ${DELETE_TAGS};
  INSERT INTO trace_facets(account_id, facet, trace_id)
    SELECT NEW.account_id, 'tag:' || value, NEW.trace_id FROM json_each(NEW.tags) WHERE true
    ON CONFLICT DO NOTHING;
END`,
  `CREATE TRIGGER tags_deleted AFTER DELETE ON traces WHEN OLD.tags IS NOT NULL BEGIN
  ${DELETE_TAGS};
END`,
];
