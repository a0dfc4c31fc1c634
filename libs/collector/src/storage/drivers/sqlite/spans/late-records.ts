import { parseTimestamp } from '@dacapo/protocol';
import type { IngestBatch } from '../../../span-store.js';
import {
  DeletedGroups,
  digestOfGroup,
  type GroupDeletion,
  rememberedUntil,
  type TraceGroup,
} from '../../../trace-deletion.js';
import type { Connection, Step, StepOutcome } from '../connection.js';
import { deletionSteps } from './deletion-steps.js';

const COUNT_LATE = `SELECT count(*) AS n FROM json_each(?2) b
  CROSS JOIN deleted_traces d ON d.account_id = ?1 AND d.trace_id = b.value`;

const REMEMBER_GROUP = `INSERT INTO deleted_groups(account_id, digest, deleted_us, forget_us) VALUES (?, ?, ?, ?)
  ON CONFLICT(account_id, digest) DO UPDATE SET deleted_us = max(deleted_us, excluded.deleted_us),
    forget_us = max(forget_us, excluded.forget_us)`;

/** Spans of such a trace that had come before, without their session or user: they have no such number. */
const SPANS_BEFORE = 10_000;

/**
 * Drops what comes late of deleted traces, sessions and users. Triggers drop the records of traces; those of a session or a user are
 * found here, where its digest can be made.
 */
export class LateRecords {
  private readonly groups = new Map<string, DeletedGroups>();
  private isLoaded = false;

  constructor(private readonly writer: Connection) {}

  /** @returns the steps before those of the batch that is left, and what to make of their outcomes */
  async sort(
    accountId: string,
    batch: IngestBatch,
  ): Promise<{ steps: Step[]; kept: IngestBatch; droppedOf: (outcomes: readonly StepOutcome[]) => number }> {
    if (!this.isLoaded) await this.load();
    const { traceIds, scoreIds } = this.groups.get(accountId)?.lateIn(batch) ?? NOTHING;
    const kept = traceIds.size + scoreIds.size === 0 ? batch : without(batch, traceIds, scoreIds);
    const forgetAt = rememberedUntil(batch.receivedAt);
    const late = { forgetAt, withCopies: true, mostSpans: SPANS_BEFORE };
    const leftOut = sizeOf(batch) - sizeOf(kept);
    return {
      kept,
      steps: [
        { sql: COUNT_LATE, rows: [[accountId, JSON.stringify(traceIdsOf(kept))]] },
        ...(traceIds.size === 0 ? [] : deletionSteps(accountId, [...traceIds], late)),
      ],
      droppedOf: ([counted]) => Number(counted?.rows[0]?.['n'] ?? 0) + leftOut,
    };
  }

  /** Has effect on the next batch, whether or not the step is written by then. */
  groupStep(accountId: string, group: TraceGroup, { deletedAt, forgetAt }: GroupDeletion): Step {
    const [digest, deletedUs] = [digestOfGroup(group), parseTimestamp(deletedAt) ?? 0];
    this.add(accountId, digest, deletedUs);
    return { sql: REMEMBER_GROUP, rows: [[accountId, digest, deletedUs, parseTimestamp(forgetAt)]] };
  }

  private async load(): Promise<void> {
    const rows = await this.writer.all<{ account_id: string; digest: string; deleted_us: number }>(
      'SELECT account_id, digest, deleted_us FROM deleted_groups',
    );
    for (const { account_id, digest, deleted_us } of rows) this.add(account_id, digest, deleted_us);
    this.isLoaded = true;
  }

  private add(accountId: string, digest: string, deletedUs: number): void {
    const known = this.groups.get(accountId) ?? new DeletedGroups();
    this.groups.set(accountId, known);
    known.add(digest, deletedUs);
  }
}

const NOTHING = { traceIds: new Set<string>(), scoreIds: new Set<string>() };

function without(
  { spans, traces, scores = [], ...batch }: IngestBatch,
  traceIds: ReadonlySet<string>,
  scoreIds: ReadonlySet<string>,
): IngestBatch {
  return {
    ...batch,
    spans: spans.filter(({ trace_id }) => !traceIds.has(trace_id)),
    traces: traces.filter(({ id }) => !traceIds.has(id)),
    scores: scores.filter(
      ({ id, trace_id }) => !scoreIds.has(id) && (trace_id === undefined || !traceIds.has(trace_id)),
    ),
  };
}

function sizeOf({ spans, traces, scores = [] }: IngestBatch): number {
  return spans.length + traces.length + scores.length;
}

function traceIdsOf({ spans, traces, scores = [] }: IngestBatch): string[] {
  return [
    ...spans.map(({ trace_id }) => trace_id),
    ...traces.map(({ id }) => id),
    ...scores.flatMap(({ trace_id }) => trace_id ?? []),
  ];
}
