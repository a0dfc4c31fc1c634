import {
  decodeContribution,
  type EncodedContribution,
  type PlacedTally,
} from '../../../rules/contribution.js';
import type { DerivedTrace } from '../../../spans/derive-trace.js';
import { ChangedMeanwhileError } from '../connection.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { addTallies } from './metrics.js';
import { addToSessions } from './sessions.js';
import type { StoredTrace } from './stored-traces.js';
import type { Table } from '../table.js';
import { CALLS, FACETS, LONG_TRACES, OF_TRACES, TRACE_METRICS, TRACES } from './tables.js';

export interface ChangedTrace {
  /** Locked until the transaction ends. */
  old: StoredTrace | undefined;
  /** Its row of `trace_metrics`. */
  contribution: string | undefined;
  now: DerivedTrace;
}

/** Columns that change after a trace was created. */
const UPDATED = Object.keys({ ...TRACES.required, ...TRACES.optional }).filter(
  (column) => column !== 'account_id' && column !== 'trace_id',
);
const UPDATE = `ON CONFLICT (account_id, trace_id) DO UPDATE
  SET ${UPDATED.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/**
 * Writes the current state of traces, and updates the sums.
 *
 * @throws ChangedMeanwhileError if another transaction created one of the new traces
 */
export async function writeTraces(
  db: PostgresTransaction,
  accountId: string,
  changed: readonly ChangedTrace[],
): Promise<void> {
  const toRow = ({ now }: ChangedTrace) => ({ ...now.trace, account_id: accountId });
  const [known, fresh] = [changed.filter(({ old }) => old), changed.filter(({ old }) => !old)];
  const made = await db.insertRows(TRACES, fresh.map(toRow), 'ON CONFLICT DO NOTHING');
  if (made < fresh.length) throw new ChangedMeanwhileError();
  await db.insertRows(TRACES, known.map(toRow), UPDATE);
  const traceIds = JSON.stringify(known.map(({ old }) => old?.trace_id));
  if (known.length > 0) await removeFrom(db, [CALLS, FACETS, TRACE_METRICS], { accountId, traceIds });
  const all = changed.map(({ now }) => now);
  await db.insertRows(
    CALLS,
    all.flatMap(({ calls }) => calls.map((call) => ({ ...call, account_id: accountId }))),
  );
  await db.insertRows(
    FACETS,
    all.flatMap(({ facets, trace: { trace_id } }) =>
      Array.from(facets, (facet) => ({ account_id: accountId, facet, trace_id })),
    ),
    'ON CONFLICT DO NOTHING',
  );
  await db.insertRows(
    TRACE_METRICS,
    all.map(({ trace: { trace_id }, encodedContribution: contribution }) => ({
      account_id: accountId,
      trace_id,
      contribution,
    })),
  );
  await addTallies(db, accountId, [
    ...known.map((one) => ({ contribution: readContribution(one.contribution), times: -1 as const })),
    ...all.map(({ contribution }) => ({ contribution, times: 1 as const })),
  ]);
  await addToSessions(
    db,
    accountId,
    changed.map(({ old, now: { trace } }) => ({
      old,
      now: {
        session_id: textOrNull(trace['session_id']),
        test_run_id: textOrNull(trace['test_run_id']),
        started_us: Number(trace['started_us']),
      },
    })),
  );
}

/** Deletes traces from all tables except those of spans. @returns their number and their sessions */
export async function removeTraces(
  db: PostgresTransaction,
  accountId: string,
  traceIds: readonly string[],
): Promise<{ traces: number; sessionIds: string[] }> {
  const these = { accountId, traceIds: JSON.stringify(traceIds) };
  const contributions = await db.all<{ contribution: string }>(
    `DELETE FROM trace_metrics WHERE ${OF_TRACES} RETURNING contribution`,
    these,
  );
  await removeFrom(db, [CALLS, FACETS, LONG_TRACES], these);
  const removed = await db.all<Pick<StoredTrace, 'session_id' | 'test_run_id' | 'started_us'>>(
    `DELETE FROM traces WHERE ${OF_TRACES} RETURNING session_id, test_run_id, started_us`,
    these,
  );
  await addTallies(
    db,
    accountId,
    contributions.map(({ contribution }) => ({ contribution: readContribution(contribution), times: -1 })),
  );
  await addToSessions(
    db,
    accountId,
    removed.map((old) => ({ old, now: undefined })),
  );
  const sessionIds = new Set(removed.flatMap(({ session_id }) => session_id ?? []));
  return { traces: removed.length, sessionIds: [...sessionIds] };
}

async function removeFrom(
  db: PostgresTransaction,
  tables: readonly Table[],
  these: { accountId: string; traceIds: string },
): Promise<void> {
  for (const { name } of tables) await db.run(`DELETE FROM ${name} WHERE ${OF_TRACES}`, these);
}

function readContribution(stored = '[]'): PlacedTally[] {
  return decodeContribution(JSON.parse(stored) as EncodedContribution);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
