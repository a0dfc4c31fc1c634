import type { Migration } from './migration.js';

const COUNTED = ['error', 'cancelled', 'unfinished'] as const;
const COUNTS = COUNTED.map((status) => `${status}_count`);

/** The worst that is there, by how many there are of each. */
const worst = (countOf: (status: (typeof COUNTED)[number]) => string): string =>
  `CASE ${COUNTED.map((status) => `WHEN ${countOf(status)} > 0 THEN '${status}'`).join(' ')} ELSE 'ok' END`;

/** What the counts become, and the outcome with them. */
const recount = (countOf: (status: (typeof COUNTED)[number]) => string): string =>
  [...COUNTED.map((status) => `${status}_count = ${countOf(status)}`), `outcome = ${worst(countOf)}`].join(
    ', ',
  );

/** @param more what it sets beside that, as `, column = NEW.column` */
const takeRoot = (more = ''): string => `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
      status = NEW.status, duration_order = coalesce(NEW.duration_ms, -1)${more}
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND (root_span_id IS NULL OR root_span_id = NEW.span_id
    OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const NOTE_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${COUNTS.join(', ')}, outcome)
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished', NEW.test_run_id IS NOT NULL,
    ${COUNTED.map((status) => `NEW.status = '${status}'`).join(', ')}, NEW.status)
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay),
    ${recount((status) => `${status}_count + excluded.${status}_count`)}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

const ENTRY = `started_us DESC, trace_id DESC`;
const OF_KEY = `account_id, trace_function_key`;

/** Those of its condition beside those that it is sorted by: of others SQLite fetches each entry from the table. */
const INDEXES: [name: string, on: string][] = [
  ['traces_not_ok', `traces(account_id, outcome, ${ENTRY}) WHERE outcome <> 'ok'`],
  [
    'recorded_traces_not_ok',
    `traces(account_id, outcome, ${ENTRY}, test_run_id) WHERE outcome <> 'ok' AND test_run_id IS NULL`,
  ],
  ['trace_calls_by_time', `trace_calls(${OF_KEY}, ${ENTRY}, outcome, is_recording)`],
  ['recorded_calls_by_time', `trace_calls(${OF_KEY}, ${ENTRY}, outcome, is_replay) WHERE is_replay = 0`],
  ['trace_calls_not_ok', `trace_calls(${OF_KEY}, outcome, ${ENTRY}, is_recording) WHERE outcome <> 'ok'`],
  [
    'recorded_calls_not_ok',
    `trace_calls(${OF_KEY}, outcome, ${ENTRY}, is_replay) WHERE is_replay = 0 AND outcome <> 'ok'`,
  ],
];

const addOutcome = (table: string, otherwise: string, isCounted: string): string[] => [
  `ALTER TABLE ${table} DROP COLUMN outcome`,
  `ALTER TABLE ${table} ADD COLUMN outcome TEXT NOT NULL DEFAULT '${otherwise}'`,
  `UPDATE ${table} SET outcome = ${worst((status) => `${status}_count`)} WHERE ${isCounted}`,
];

/** What becomes of spans that were counted before. @param more what the trace takes of its root beside that */
export const onUpdatedSpans = (
  more?: string,
): string => `CREATE TRIGGER spans_updated AFTER UPDATE ON spans WHEN NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
      UPDATE traces SET test_run_id = coalesce(test_run_id, NEW.test_run_id),
          ${recount((status) => `${status}_count + (NEW.status = '${status}') - (OLD.status = '${status}')`)}
        WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
      ${takeRoot(more)};
      UPDATE trace_calls SET ${recount((status) => `${status}_count - (OLD.status = '${status}')`)}
        WHERE account_id = OLD.account_id AND trace_id = OLD.trace_id AND trace_function_key = OLD.trace_function_key;
      ${NOTE_CALL};
    END`;

/** As with amounts: what lists walk along and test on the way is stored, so that their indexes tell all of it. */
export const storedOutcomes: Migration = {
  id: 35,
  name: 'stored-outcomes',
  statements: [
    'DROP TRIGGER spans_updated',
    ...INDEXES.map(([name]) => `DROP INDEX ${name}`),
    // A trace of which no span has come yet is not finished.
    ...addOutcome('traces', 'unfinished', 'span_count > 0'),
    ...addOutcome('trace_calls', 'ok', `${COUNTS.join(' + ')} > 0`),
    ...INDEXES.map(([name, on]) => `CREATE INDEX ${name} ON ${on}`),
    onUpdatedSpans(),
  ],
};
