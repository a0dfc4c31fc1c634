import { type DeletionCounts, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import { readDeletionCounts } from '../../../meta/deletion-counts.js';
import type { SqlParameter } from '../../../meta/transaction.js';
import type { Position, Range } from '../../../ports/span-store.js';
import type {
  DeletableFilter,
  DeletablePage,
  DeletedPart,
  GroupDeletion,
  TraceDeletion,
  TraceDeletions,
  TraceGroup,
} from '../../../ports/trace-deletion.js';
import type { CallStep, Connection, Reader } from '../connection.js';
import type { FileScrubber } from '../file-scrubber.js';
import type { MetricsRollup } from '../metrics/metrics-rollup.js';
import type { PacedDeletes } from '../paced-deletes.js';
import { ReadingTransaction } from '../reading-transaction.js';
import type { LateRecords } from './late-records.js';
import type { TextIndex } from './text-index.js';
import type { TraceRemoval } from './trace-removal.js';
import { LABEL_INDEXES } from './trace-walk.js';

/** New traces may arrive faster than they are counted, so the wait is limited. */
const TRIES = 1000;

export class SqliteTraceDeletions implements TraceDeletions {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
    private readonly late: LateRecords,
    private readonly rollup: MetricsRollup,
    private readonly texts: TextIndex,
    private readonly deletes: PacedDeletes,
    private readonly file: Pick<FileScrubber, 'scrub'>,
  ) {}

  list(accountId: string, filter: DeletableFilter, range: Range): Promise<DeletablePage> {
    return listDeletable(this.reader, accountId, filter, range);
  }

  count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }> {
    return countDeletable(this.reader, accountId, filter);
  }

  async deleteTraces(
    accountId: string,
    traceIds: readonly string[],
    deletion: TraceDeletion,
  ): Promise<DeletedPart> {
    const { outcomes, rows } = await this.deletes.next(
      (mostSpans) => [removal('deleteTraces', accountId, traceIds, { ...deletion, mostSpans })],
      deletion.mostSpans,
    );
    this.rollup.wake();
    const deleted = outcomes[0]?.result as Omit<DeletedPart, 'isDone'>;
    return { ...deleted, isDone: deleted.spans < rows };
  }

  async isDeleted(accountId: string, traceId: string): Promise<boolean> {
    const rows = await this.reader.all('SELECT 1 FROM deleted_traces WHERE account_id = ? AND trace_id = ?', [
      accountId,
      traceId,
    ]);
    return rows.length > 0;
  }

  async deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void> {
    this.late.note(accountId, group, deletion.deletedAt);
    await this.write('deleteGroup', accountId, group, deletion);
  }

  async settle(accountId: string): Promise<void> {
    for (let tries = 0; tries < TRIES && (await this.rollup.countWaiting(accountId)) > 0; tries++) {
      await this.rollup.catchUp(accountId);
    }
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(new ReadingTransaction(this.reader), accountId, deletionId);
  }

  async scrub(signal?: AbortSignal): Promise<string | undefined> {
    if (!(await this.texts.clear(signal))) return 'the index of texts';
    return this.file.scrub(signal);
  }

  async forget(now: string): Promise<void> {
    await this.write('forget', now);
  }

  private write(method: keyof TraceRemoval, ...values: readonly unknown[]): Promise<unknown> {
    return this.writer.run(removal(method, ...values).call);
  }
}

function removal(method: keyof TraceRemoval, ...values: readonly unknown[]): CallStep {
  return { call: { store: 'traceRemoval', method, values } };
}

/** Selects the matching traces, with the narrowest condition first. */
function deletable(accountId: string, filter: DeletableFilter): [sql: string, parameters: SqlParameter[]] {
  const { traceIds, sessionId, userId, traceFunctionKey: key, before } = filter;
  const label = sessionId !== undefined ? 'session_id' : userId !== undefined ? 'user_id' : undefined;
  const isByKey = key !== undefined && traceIds === undefined && label === undefined;
  const sorted = isByKey ? 'c' : 't';
  const tables =
    traceIds !== undefined
      ? 'json_each(?) w CROSS JOIN traces t ON t.trace_id = w.value'
      : isByKey
        ? 'trace_calls c CROSS JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id'
        : `traces t ${label === undefined ? '' : `INDEXED BY ${LABEL_INDEXES[label]}`}`;
  const conditions: [sql: string, ...parameters: SqlParameter[]][] = [
    [`${sorted}.account_id = ?`, accountId],
    ...(sessionId === undefined ? [] : [['t.session_id = ?', sessionId] as [string, string]]),
    ...(userId === undefined ? [] : [['t.user_id = ?', userId] as [string, string]]),
    ...(key === undefined
      ? []
      : [
          [
            isByKey
              ? 'c.trace_function_key = ?'
              : 'EXISTS (SELECT 1 FROM trace_calls c WHERE c.account_id = t.account_id AND c.trace_function_key = ? AND c.trace_id = t.trace_id)',
            key,
          ] as [string, string],
        ]),
    ...(before === undefined
      ? []
      : [[`${sorted}.started_us < ?`, parseTimestamp(before)] as [string, SqlParameter]]),
  ];
  return [
    `FROM ${tables} WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`,
    [
      ...(traceIds === undefined ? [] : [JSON.stringify(traceIds)]),
      ...conditions.flatMap(([, ...parameters]) => parameters),
    ],
  ];
}

const spared = (trace: string): string => `EXISTS (SELECT 1 FROM json_each(?) k CROSS JOIN trace_calls o
  ON o.account_id = ${trace}.account_id AND o.trace_function_key = k.value AND o.trace_id = ${trace}.trace_id)`;

async function listDeletable(
  reader: Reader,
  accountId: string,
  filter: DeletableFilter,
  { limit, after }: Range,
): Promise<DeletablePage> {
  const [from, parameters] = deletable(accountId, filter);
  const sorted = from.startsWith('FROM trace_calls') ? 'c' : 't';
  const rows = await reader.all<{ trace_id: string; started_us: number; is_spared: 0 | 1 }>(
    `SELECT ${sorted}.trace_id, ${sorted}.started_us, ${spared('t')} AS is_spared ${from}
      ${after === undefined ? '' : `AND (${sorted}.started_us, ${sorted}.trace_id) < (?, ?)`}
      ORDER BY ${sorted}.started_us DESC, ${sorted}.trace_id DESC LIMIT ?`,
    [
      JSON.stringify(filter.exceptKeys ?? []),
      ...parameters,
      ...(after === undefined ? [] : [parseTimestamp(after[0]), after[1]]),
      limit,
    ],
  );
  const last = rows.at(-1);
  const next: Position | undefined = last && [formatTimestamp(last.started_us), last.trace_id];
  return {
    traceIds: rows.filter(({ is_spared }) => is_spared === 0).map(({ trace_id }) => trace_id),
    ...(next !== undefined && rows.length === limit && { next }),
  };
}

async function countDeletable(
  reader: Reader,
  accountId: string,
  filter: DeletableFilter,
): Promise<{ traces: number; spans: number }> {
  const [from, parameters] = deletable(accountId, filter);
  const [row] = await reader.all<{ traces: number; spans: number }>(
    `SELECT count(*) AS traces, coalesce(sum(t.span_count), 0) AS spans ${from} AND NOT ${spared('t')}`,
    [...parameters, JSON.stringify(filter.exceptKeys ?? [])],
  );
  return row ?? { traces: 0, spans: 0 };
}
