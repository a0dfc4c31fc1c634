import type { Migration } from './migration.js';

/** By what traces of a list are found, and then looked at: what is here may be more than is true, never less. */
const FACETS = `CREATE TABLE trace_facets(
  account_id TEXT NOT NULL,
  facet TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  PRIMARY KEY(account_id, facet, trace_id)
) STRICT, WITHOUT ROWID`;

const SPAN_FACETS = { name: 'name:', type: 'type:', model: 'model:' } as const;

/** Of a leaf of metadata: the name of its entry and, cut, its value. */
const metadataFacet = (key: string, atom: string): string =>
  `'metadata:' || ${key} || '=' || substr(json_quote(${atom}), 1, 100)`;

const FORGET_METADATA = `DELETE FROM trace_facets
  WHERE account_id = OLD.account_id AND trace_id = OLD.trace_id AND facet IN (
    SELECT ${metadataFacet('OLD.key', 'atom')} FROM json_tree(OLD.value) WHERE type NOT IN ('object', 'array'))`;

const NOTE_METADATA = `INSERT OR IGNORE INTO trace_facets(account_id, facet, trace_id)
  SELECT NEW.account_id, ${metadataFacet('NEW.key', 'atom')}, NEW.trace_id
  FROM json_tree(NEW.value) WHERE type NOT IN ('object', 'array')`;

/** Another span of the trace may have it, too. */
const forgetFacet = (column: keyof typeof SPAN_FACETS): string => `DELETE FROM trace_facets
  WHERE account_id = OLD.account_id AND facet = '${SPAN_FACETS[column]}' || OLD.${column} AND trace_id = OLD.trace_id
    AND NOT EXISTS (SELECT 1 FROM spans s WHERE s.account_id = OLD.account_id AND s.trace_id = OLD.trace_id
      AND s.${column} = OLD.${column})`;

const COUNTED = ['error', 'cancelled', 'unfinished'] as const;
const COUNTS = COUNTED.map((status) => `${status}_count`);
const countsOf = COUNTED.map((status) => `NEW.status = '${status}'`).join(', ');
const addCounts = COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');
const difference = COUNTED.map(
  (status) => `${status}_count = ${status}_count + (NEW.status = '${status}') - (OLD.status = '${status}')`,
).join(', ');

const TAKE_ROOT = `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
      status = NEW.status, duration_ms = NEW.duration_ms
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND (root_span_id IS NULL OR root_span_id = NEW.span_id
    OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const NOTE_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${COUNTS.join(', ')})
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished', NEW.test_run_id IS NOT NULL, ${countsOf})
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay), ${addCounts}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

const CALL_BEFORE = `account_id = OLD.account_id AND trace_id = OLD.trace_id
  AND trace_function_key = OLD.trace_function_key`;

const TRACE_SCORE_VALUE = `CREATE INDEX scores_by_value
  ON scores(account_id, target, name, substr(record -> '$.value', 1, 100), target_id) WHERE is_latest = 1`;

/** Lists are filtered by name, type, model, duration, tokens, cost and metadata, and sorted by these amounts. */
export const traceFilters: Migration = {
  id: 26,
  name: 'trace-filters',
  statements: [
    'DROP TRIGGER spans_updated',
    'ALTER TABLE traces ADD COLUMN duration_ms REAL',
    'ALTER TABLE traces ADD COLUMN tokens REAL',
    'ALTER TABLE traces ADD COLUMN cost_usd REAL',
    `UPDATE spans SET (model, input_tokens, output_tokens) = (
        SELECT p.usage ->> '$.model', p.usage ->> '$.input_tokens', p.usage ->> '$.output_tokens'
        FROM span_payloads p WHERE p.span_no = spans.span_no)
      WHERE type = 'llm' AND coalesce(model, input_tokens, output_tokens) IS NULL`,
    `UPDATE traces SET duration_ms = (SELECT r.duration_ms FROM spans r
      WHERE r.account_id = traces.account_id AND r.trace_id = traces.trace_id AND r.span_id = traces.root_span_id)`,
    `UPDATE traces SET (tokens, cost_usd) = (
      SELECT sum(coalesce(s.input_tokens + s.output_tokens, s.input_tokens, s.output_tokens)), sum(s.cost_usd)
      FROM spans s
      WHERE s.account_id = traces.account_id AND s.trace_id = traces.trace_id
        AND coalesce(s.input_tokens, s.output_tokens, s.cost_usd) IS NOT NULL AND s.span_id NOT IN (
          WITH RECURSIVE above(id) AS (
            SELECT c.parent_id FROM spans c WHERE c.account_id = s.account_id AND c.trace_id = s.trace_id
              AND coalesce(c.input_tokens, c.output_tokens, c.cost_usd) IS NOT NULL
            UNION
            SELECT p.parent_id FROM above CROSS JOIN spans p
              ON p.account_id = s.account_id AND p.trace_id = s.trace_id AND p.span_id = above.id)
          SELECT id FROM above WHERE id IS NOT NULL))`,
    `CREATE INDEX traces_by_duration ON traces(account_id, coalesce(duration_ms, -1) DESC, trace_id DESC)`,
    `CREATE INDEX traces_by_tokens ON traces(account_id, coalesce(tokens, -1) DESC, trace_id DESC)`,
    `CREATE INDEX traces_by_cost ON traces(account_id, coalesce(cost_usd, -1) DESC, trace_id DESC)`,
    TRACE_SCORE_VALUE,
    FACETS,
    ...Object.entries(SPAN_FACETS).map(
      ([column, facet]) => `INSERT OR IGNORE INTO trace_facets(account_id, facet, trace_id)
        SELECT account_id, '${facet}' || ${column}, trace_id FROM spans WHERE ${column} IS NOT NULL`,
    ),
    `INSERT OR IGNORE INTO trace_facets(account_id, facet, trace_id)
      SELECT a.account_id, ${metadataFacet('a.key', 'j.atom')}, a.trace_id
      FROM trace_attributes a, json_tree(a.value) j
      WHERE a.kind = 'metadata' AND j.type NOT IN ('object', 'array')`,
    `CREATE TRIGGER spans_updated AFTER UPDATE ON spans WHEN NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
      UPDATE traces SET ${difference}, test_run_id = coalesce(test_run_id, NEW.test_run_id)
        WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
      ${TAKE_ROOT};
      UPDATE trace_calls
        SET ${COUNTED.map((status) => `${status}_count = ${status}_count - (OLD.status = '${status}')`).join(', ')}
        WHERE ${CALL_BEFORE};
      ${NOTE_CALL};
    END`,
    `CREATE TRIGGER facets_of_deleted_spans AFTER DELETE ON spans BEGIN
      ${forgetFacet('name')};
      ${forgetFacet('type')};
      ${forgetFacet('model')};
    END`,
    `CREATE TRIGGER metadata_inserted AFTER INSERT ON trace_attributes WHEN NEW.kind = 'metadata' BEGIN
      ${NOTE_METADATA};
    END`,
    `CREATE TRIGGER metadata_updated AFTER UPDATE OF value ON trace_attributes WHEN NEW.kind = 'metadata' BEGIN
      ${FORGET_METADATA};
      ${NOTE_METADATA};
    END`,
    `CREATE TRIGGER metadata_deleted AFTER DELETE ON trace_attributes WHEN OLD.kind = 'metadata' BEGIN
      ${FORGET_METADATA};
    END`,
  ],
};
