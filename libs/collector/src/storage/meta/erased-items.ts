import type { TestRunItemRecord } from '@dacapo/protocol';
import type { RunItemRef } from '../ports/copies.js';
import { rankSeverity } from './item-severity.js';
import type { Dialect } from './dialect.js';
import type { MetaTransaction } from './transaction.js';

const KEPT_FLAGS = ['fixed', 'failing_as_before', 'new_error', 'accepted'] as const;
const KEPT_OF_RECORD = ['duration_ms', 'original_duration_ms', 'timing'] as const;

type ItemRow = Pick<TestRunItemRecord, 'item_no' | 'verdict'> & { repetition: number } & Record<
    (typeof KEPT_FLAGS)[number] | 'diverged',
    0 | 1
  > &
  Record<(typeof KEPT_OF_RECORD)[number] | 'divergence_count', string | null>;

const THE_ITEM = `account_id = :accountId AND test_run_id = :testRunId AND item_no = :itemNo
  AND repetition = :repetition AND is_erased = 0`;

/** What remains of an item. */
const select = ({
  json,
}: Dialect): string => `SELECT item_no, repetition, verdict, diverged, ${KEPT_FLAGS.join(', ')},
  ${KEPT_OF_RECORD.map((name) => `${json('record', name)} AS ${name}`).join(', ')},
  ${json('summary', 'divergence_count')} AS divergence_count FROM test_run_items WHERE ${THE_ITEM}`;

/** Erases an item of a run except its number, verdict, flags and durations. @returns `false` if it was already erased */
export async function eraseItem(
  db: MetaTransaction,
  accountId: string,
  { testRunId, item: [itemNo, repetition] }: RunItemRef,
): Promise<boolean> {
  const key = { accountId, testRunId, itemNo, repetition };
  const row = await db.get<ItemRow>(select(db.dialect), key);
  if (row === undefined) return false;
  const record = JSON.stringify(toErased(row));
  await db.run(
    `UPDATE test_run_items SET record = :record, summary = :record, record_bytes = :bytes, severity = :severity, source = NULL,
      new_trace_id = NULL, is_pending = 0, is_erased = 1 WHERE ${THE_ITEM}`,
    { ...key, record, bytes: Buffer.byteLength(record), severity: rankErasedItem(row) },
  );
  return true;
}

function rankErasedItem({ verdict, ...row }: ItemRow): number {
  const flags = { new_error: row.new_error === 1, fixed: row.fixed === 1, diverged: row.diverged === 1 };
  return rankSeverity({ verdict, flags, summary: {} });
}

function toErased(row: ItemRow): TestRunItemRecord & { divergence_count?: number } {
  const flags = KEPT_FLAGS.filter((flag) => row[flag] === 1).map((flag) => [flag, true]);
  const kept = [...KEPT_OF_RECORD, 'divergence_count' as const]
    .filter((name) => row[name] !== null)
    .map((name) => [name, JSON.parse(row[name] ?? '') as unknown]);
  return {
    item_no: row.item_no,
    ...(row.repetition > 0 && { repetition: row.repetition }),
    verdict: row.verdict,
    ...(Object.fromEntries([...flags, ...kept]) as object),
    erased: true,
  };
}
