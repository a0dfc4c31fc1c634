import { type DeletionCounts, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { Position, Range } from '../../../span-store.js';
import type {
  DeletableFilter,
  DeletablePage,
  DeletedPart,
  GroupDeletion,
  TraceDeletion,
  TraceDeletions,
  TraceGroup,
} from '../../../trace-deletion.js';
import type { Connection, Reader } from '../connection.js';
import { countStep, readDeletionCounts } from '../deletion-counts.js';
import type { FileScrubber } from '../file-scrubber.js';
import type { MetricsRollup } from '../metrics/metrics-rollup.js';
import type { PacedDeletes } from '../paced-deletes.js';
import type { SqlParameter } from '../sql-value.js';
import { DELETED, deletionSteps } from './deletion-steps.js';
import type { LateRecords } from './late-records.js';
import type { TextIndex } from './text-index.js';
import { LABEL_INDEXES } from './trace-walk.js';

/** New traces may come in faster than they are counted: that is no reason to wait for ever. */
const TRIES = 1000;

const FORGET_TRACES = `DELETE FROM deleted_traces WHERE (account_id, trace_id) IN
  (SELECT account_id, trace_id FROM deleted_traces WHERE forget_us <= ? LIMIT 20000)`;

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
      (mostSpans) => deletionSteps(accountId, traceIds, { ...deletion, mostSpans }),
      deletion.mostSpans,
    );
    this.rollup.wake();
    const changesOf = (step: number): number => outcomes[step]?.changes ?? 0;
    const spans = changesOf(DELETED.spans);
    return {
      ...{ traces: changesOf(DELETED.traces), spans, scores: changesOf(DELETED.scores) },
      isDone: spans < rows,
    };
  }

  async isDeleted(accountId: string, traceId: string): Promise<boolean> {
    const rows = await this.reader.all('SELECT 1 FROM deleted_traces WHERE account_id = ? AND trace_id = ?', [
      accountId,
      traceId,
    ]);
    return rows.length > 0;
  }

  async deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<number> {
    const [, scores] = await this.writer.write([
      this.late.groupStep(accountId, group, deletion),
      {
        sql: `DELETE FROM scores WHERE account_id = ? AND target = 'session' AND target_id = ? AND created_us < ?`,
        rows: group.by === 'session_id' ? [[accountId, group.id, parseTimestamp(deletion.deletedAt)]] : [],
      },
      countStep(accountId, deletion.deletionId, 'scores'),
    ]);
    return scores?.changes ?? 0;
  }

  async deleteItemScores(
    accountId: string,
    testRunId: string,
    items: readonly (readonly [itemNo: number, repetition: number])[],
    deletionId?: string,
  ): Promise<number> {
    const parts = JSON.stringify(items.map((item) => item.join('/')));
    const [outcome] = await this.writer.write([
      {
        sql: `DELETE FROM scores WHERE account_id = ? AND target = 'item' AND target_id = ?
          AND part IN (SELECT value FROM json_each(?))`,
        rows: [[accountId, testRunId, parts]],
      },
      countStep(accountId, deletionId, 'scores'),
    ]);
    return outcome?.changes ?? 0;
  }

  async settle(accountId: string): Promise<void> {
    for (let tries = 0; tries < TRIES && (await this.rollup.countWaiting(accountId)) > 0; tries++) {
      await this.rollup.catchUp(accountId);
    }
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(this.reader, accountId, deletionId);
  }

  async scrub(signal?: AbortSignal): Promise<string | undefined> {
    if (!(await this.texts.clear(signal))) return 'the index of texts';
    return this.file.scrub(signal);
  }

  async forget(now: string): Promise<void> {
    const until = [[parseTimestamp(now)]];
    await this.writer.write([
      { sql: FORGET_TRACES, rows: until },
      { sql: 'DELETE FROM deleted_groups WHERE forget_us <= ?', rows: until },
    ]);
  }
}

const GROUPED = ['sessionId', 'userId'] as const;

/** The traces that a filter means, by its narrowest condition first. */
function deletable(accountId: string, filter: DeletableFilter): [sql: string, parameters: SqlParameter[]] {
  const { traceIds, sessionId, userId, traceFunctionKey: key, before } = filter;
  const label = GROUPED.find((name) => filter[name] !== undefined);
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
