import { formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { SpanRef } from '../ports/span-store.js';
import type { MetaTransaction } from './transaction.js';

/** Spans of one batch that wait for forwarding. */
export interface WaitingForward {
  no: number;
  accountId: string;
  queuedAt: string;
  spans: SpanRef[];
}

export interface WaitingForwards {
  spans: number;
  /** When the oldest was queued; absent if none waits. */
  since?: string;
}

interface ForwardRow {
  forward_no: number;
  account_id: string;
  queued_us: number;
  spans: string;
}

/** The queue of spans to forward, over all accounts. It holds ids; the spans are read when they are sent. */
export class Forwards {
  static readonly writes = ['add', 'remove'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async add(accountId: string, spans: readonly SpanRef[], queuedAt: string): Promise<void> {
    await this.db.insert('forwards', {
      account_id: accountId,
      queued_us: parseTimestamp(queuedAt),
      span_count: spans.length,
      spans: JSON.stringify(spans.map(({ trace_id, span_id }) => [trace_id, span_id])),
    });
  }

  /** Oldest first. @param after the number of the last known one */
  async list(after: number, limit: number): Promise<WaitingForward[]> {
    const rows = await this.db.all<ForwardRow>(
      'SELECT * FROM forwards WHERE forward_no > :after ORDER BY forward_no LIMIT :limit',
      { after, limit },
    );
    return rows.map(({ forward_no, account_id, queued_us, spans }) => ({
      no: forward_no,
      accountId: account_id,
      queuedAt: formatTimestamp(queued_us),
      spans: (JSON.parse(spans) as [string, string][]).map(([trace_id, span_id]) => ({ trace_id, span_id })),
    }));
  }

  /** Removes entries that were forwarded, or never will be. */
  async remove(numbers: readonly number[]): Promise<void> {
    const listed = this.db.dialect.numbers(':numbers');
    await this.db.run(`DELETE FROM forwards WHERE forward_no IN (SELECT value FROM ${listed} n)`, {
      numbers: JSON.stringify(numbers),
    });
  }

  async measure(): Promise<WaitingForwards> {
    const row = await this.db.get<{ spans: number | null; since: number | null }>(
      'SELECT sum(span_count) AS spans, min(queued_us) AS since FROM forwards',
    );
    const since = row?.since ?? undefined;
    return {
      spans: row?.spans ?? 0,
      ...(since !== undefined && { since: formatTimestamp(since) }),
    };
  }
}
