import { parseTimestamp } from '@dacapo/protocol';
import type { IngestBatch } from '../../../ports/span-store.js';
import {
  DeletedGroups,
  digestOfGroup,
  rememberedUntil,
  type TraceGroup,
} from '../../../ports/trace-deletion.js';
import type { CallStep, Connection, Step, StepResult } from '../connection.js';

const COUNT_LATE = `SELECT count(*) AS n FROM json_each(?2) b
  CROSS JOIN deleted_traces d ON d.account_id = ?1 AND d.trace_id = b.value`;

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
  ): Promise<{
    steps: (Step | CallStep)[];
    kept: IngestBatch;
    countDropped: (results: readonly StepResult[]) => number;
  }> {
    if (!this.isLoaded) await this.load();
    const traceIds = this.groups.get(accountId)?.lateIn(batch) ?? new Set<string>();
    const kept = traceIds.size === 0 ? batch : without(batch, traceIds);
    const forgetAt = rememberedUntil(batch.receivedAt);
    const late = { forgetAt, mostSpans: SPANS_BEFORE };
    const deletion = {
      call: { store: 'traceRemoval', method: 'deleteLate', values: [accountId, [...traceIds], late] },
    };
    const leftOut = countRecords(batch) - countRecords(kept);
    return {
      kept,
      steps: [
        { sql: COUNT_LATE, rows: [[accountId, JSON.stringify(listTraceIds(kept))]] },
        ...(traceIds.size === 0 ? [] : [deletion]),
      ],
      countDropped: ([counted]) => Number(counted?.rows[0]?.['n'] ?? 0) + leftOut,
    };
  }

  /** Has effect on the next batch. */
  note(accountId: string, group: TraceGroup, deletedAt: string): void {
    this.add(accountId, digestOfGroup(group), parseTimestamp(deletedAt) ?? 0);
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

function without({ spans, traces, ...batch }: IngestBatch, traceIds: ReadonlySet<string>): IngestBatch {
  return {
    ...batch,
    spans: spans.filter(({ trace_id }) => !traceIds.has(trace_id)),
    traces: traces.filter(({ id }) => !traceIds.has(id)),
  };
}

function countRecords({ spans, traces }: IngestBatch): number {
  return spans.length + traces.length;
}

function listTraceIds({ spans, traces }: IngestBatch): string[] {
  return [...spans.map(({ trace_id }) => trace_id), ...traces.map(({ id }) => id)];
}
