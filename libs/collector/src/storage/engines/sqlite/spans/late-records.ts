import { parseTimestamp } from '@dacapo/protocol';
import type { IngestBatch } from '../../../ports/span-store.js';
import {
  DeletedGroups,
  digestGroup,
  rememberedUntil,
  type TraceGroup,
} from '../../../ports/trace-deletion.js';
import type { CallStep, Connection, Step, StepResult } from '../connection.js';

const COUNT_LATE = `SELECT count(*) AS n FROM json_each(?2) b
  CROSS JOIN deleted_traces d ON d.account_id = ?1 AND d.trace_id = b.value`;

/** More than the earlier spans that such a trace may have without its session or user. */
const SPANS_BEFORE = 10_000;

/**
 * Drops late records of deleted traces, sessions and users. Triggers drop those of traces. Those of sessions and users are found here,
 * because SQL cannot compute their digests.
 */
export class LateRecords {
  private readonly groups = new Map<string, DeletedGroups>();
  private isLoaded = false;

  constructor(private readonly writer: Connection) {}

  /** @returns the remaining batch, the steps to run before it, and a function that counts dropped records from their outcomes */
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

  /** Takes effect with the next batch. */
  note(accountId: string, group: TraceGroup, deletedAt: string): void {
    this.add(accountId, digestGroup(group), parseTimestamp(deletedAt) ?? 0);
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
