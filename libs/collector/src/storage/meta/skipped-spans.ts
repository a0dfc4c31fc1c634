import { parseTimestamp } from '@dacapo/protocol';
import type { MetaTransaction } from './transaction.js';

/** A span that is not stored. Its descendants attach to its nearest stored ancestor. */
export interface SkippedSpan {
  traceId: string;
  id: string;
  /** Absent for a root. */
  parentId?: string;
}

/** Rows that are kept at most, of all accounts: a sender of HTTP spans alone would fill the table within its time. */
const MOST_ROWS = 200_000;

interface SkippedRow {
  trace_id: string;
  parents: string;
}

/** Skipped spans of the last day, so that late children find their ancestors through any collector and after a restart. */
export class SkippedSpans {
  static readonly writes = ['add', 'forget'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async add(accountId: string, spans: readonly SkippedSpan[], skippedAt: string): Promise<void> {
    const byTrace = new Map<string, [id: string, parentId: string][]>();
    for (const { traceId, id, parentId = '' } of spans) {
      const parents = byTrace.get(traceId);
      if (parents === undefined) byTrace.set(traceId, [[id, parentId]]);
      else parents.push([id, parentId]);
    }
    const skipped_us = parseTimestamp(skippedAt);
    await this.db.insertAll(
      'skipped_spans',
      [...byTrace].map(([trace_id, parents]) => ({
        account_id: accountId,
        trace_id,
        skipped_us,
        parents: JSON.stringify(parents),
      })),
    );
  }

  /** In any order. A span may appear more than once. */
  async list(accountId: string, traceIds: readonly string[]): Promise<SkippedSpan[]> {
    const listed = this.db.dialect.texts(':traceIds');
    const rows = await this.db.all<SkippedRow>(
      `SELECT trace_id, parents FROM skipped_spans
        WHERE account_id = :accountId AND trace_id IN (SELECT value FROM ${listed} t)`,
      { accountId, traceIds: JSON.stringify(traceIds) },
    );
    return rows.flatMap(({ trace_id: traceId, parents }) =>
      (JSON.parse(parents) as [string, string][]).map(([id, parentId]) =>
        parentId === '' ? { traceId, id } : { traceId, id, parentId },
      ),
    );
  }

  /** Deletes what was skipped before a time, and the oldest rows beyond `most`. */
  async forget(before: string, most = MOST_ROWS): Promise<void> {
    await this.db.run(
      `DELETE FROM skipped_spans WHERE skipped_us < :before
        OR skipped_no <= (SELECT max(skipped_no) FROM skipped_spans) - :most`,
      { before: parseTimestamp(before), most },
    );
  }
}
