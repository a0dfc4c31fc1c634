import { DatabaseTooNewError } from '../../../../errors.js';
import type { Connection, Step } from '../connection.js';
import { spans } from './0001-spans.js';
import { accounts } from './0002-accounts.js';
import { testRuns } from './0003-test-runs.js';
import { indexes } from './0004-indexes.js';
import { functions } from './0005-functions.js';
import { testRunItems } from './0006-test-run-items.js';
import { errorPreviews } from './0007-error-previews.js';
import { scores } from './0008-scores.js';
import { evaluations } from './0009-evaluations.js';
import { datasets } from './0010-datasets.js';
import { indexRevisions } from './0011-index-revisions.js';
import { keyScopes } from './0012-key-scopes.js';
import { boundSessions } from './0013-bound-sessions.js';
import { sectionVectors } from './0014-section-vectors.js';
import { indexRemotes } from './0015-index-remotes.js';
import { outcomes } from './0016-outcomes.js';
import { traceFacts } from './0017-trace-facts.js';
import { keyLives } from './0018-key-lives.js';
import { auditLog } from './0019-audit-log.js';
import { tallies } from './0020-tallies.js';
import { spanUsage } from './0021-span-usage.js';
import { metrics } from './0022-metrics.js';
import { members } from './0023-members.js';
import { deletions } from './0024-deletions.js';
import { copies } from './0025-copies.js';
import { traceFilters } from './0026-trace-filters.js';
import { retention } from './0027-retention.js';
import { listIndexes } from './0028-list-indexes.js';
import { textIndex } from './0029-text-index.js';
import { payloadParts } from './0030-payload-parts.js';
import { callsByTrace } from './0031-calls-by-trace.js';
import { metadataFacets } from './0032-metadata-facets.js';
import { callsWithRecording } from './0033-calls-with-recording.js';
import { amountsInOrder } from './0034-amounts-in-order.js';
import { storedOutcomes } from './0035-stored-outcomes.js';
import { usageOfTraces } from './0036-usage-of-traces.js';
import { wordsOfTexts } from './0037-words-of-texts.js';
import { numbersOfRoots } from './0038-numbers-of-roots.js';
import { newErrors } from './0039-new-errors.js';
import { baselineScores } from './0040-baseline-scores.js';
import { traceFields } from './0041-trace-fields.js';
import { soundDeletions } from './0042-sound-deletions.js';
import type { Migration } from './migration.js';

/** In the order of their numbers, which begin at 1. */
export const MIGRATIONS: readonly Migration[] = [
  spans,
  accounts,
  testRuns,
  indexes,
  functions,
  testRunItems,
  errorPreviews,
  scores,
  evaluations,
  datasets,
  indexRevisions,
  keyScopes,
  boundSessions,
  sectionVectors,
  indexRemotes,
  outcomes,
  traceFacts,
  keyLives,
  auditLog,
  tallies,
  spanUsage,
  metrics,
  members,
  deletions,
  copies,
  traceFilters,
  retention,
  listIndexes,
  textIndex,
  payloadParts,
  callsByTrace,
  metadataFacets,
  callsWithRecording,
  amountsInOrder,
  storedOutcomes,
  usageOfTraces,
  wordsOfTexts,
  numbersOfRoots,
  newErrors,
  baselineScores,
  traceFields,
  soundDeletions,
];

const REPORT_EVERY_MS = 5_000;

/**
 * Brings a database to the newest schema: a new one in one transaction, one that has a schema step by step, so that what was
 * done stays done.
 *
 * @param report called with the progress of an upgrade, a sentence: before it, from time to time, and after it
 * @throws DatabaseTooNewError when a later version of the collector wrote it
 */
export async function migrate(
  database: Connection,
  path: string,
  nowUs: number,
  report: (message: string) => void = () => undefined,
): Promise<void> {
  await database.write([
    {
      sql: `CREATE TABLE IF NOT EXISTS schema_migrations(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL
      ) STRICT`,
      rows: [[]],
    },
  ]);
  const [row] = await database.all<{ newest: number | null }>(
    'SELECT max(id) AS newest FROM schema_migrations',
  );
  const newest = row?.newest ?? 0;
  if (newest > MIGRATIONS.length) throw new DatabaseTooNewError(path, newest, MIGRATIONS.length);
  const missing = MIGRATIONS.filter(({ id }) => id > newest).map((migration) => stepsOf(migration, nowUs));
  if (missing.length === 0) return;
  if (newest === 0) {
    await database.write(missing.flat());
    return;
  }
  const begun = performance.now();
  const seconds = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  report(
    `Upgrading the database from schema ${newest} to ${MIGRATIONS.length}. It may take a minute per million spans; a stopped upgrade continues at the next start.`,
  );
  for (const [index, steps] of missing.entries()) {
    const tell = (): void => {
      report(`Upgrade: step ${index + 1} of ${missing.length} is running (${seconds()}).`);
    };
    const timer = setInterval(tell, REPORT_EVERY_MS);
    try {
      await database.write(steps);
    } finally {
      clearInterval(timer);
    }
  }
  report(`Upgraded the database to schema ${MIGRATIONS.length} in ${seconds()}.`);
}

function stepsOf({ id, name, statements }: Migration, nowUs: number): Step[] {
  return [
    ...statements.map((sql) => ({ sql, rows: [[]] })),
    {
      sql: 'INSERT INTO schema_migrations(id, name, applied_us) VALUES (?, ?, ?)',
      rows: [[id, name, nowUs]],
    },
  ];
}
