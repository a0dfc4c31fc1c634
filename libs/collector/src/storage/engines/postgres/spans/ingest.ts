import { readPatchFacts, readSpanFacts, parseTimestamp, type TraceFact } from '@dacapo/protocol';
import { findDeleted, findDeletedGroups } from '../../../meta/deleted-traces.js';
import type { IngestBatch, IngestOutcome } from '../../../ports/span-store.js';
import { DeletedGroups, listDigests } from '../../../ports/trace-deletion.js';
import { joinRecords } from '../../../rules/join-records.js';
import { decodeFacts, deriveTrace } from '../../../spans/derive-trace.js';
import { type EncodedSpan, encodeSpan } from '../../../spans/encode-spans.js';
import { compareStarts, groupBy } from '../../../spans/group-rows.js';
import type { SpanRow } from '../../../spans/rows.js';
import { ChangedMeanwhileError } from '../connection.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { lockAccount } from './locks.js';
import { canWait, deriveLater, LONG_FROM } from './long-traces.js';
import { readSpans } from './read-spans.js';
import { toSpanRow } from './span-rows.js';
import {
  type KnownSpan,
  lockTraces,
  readContributions,
  readSpansOfTraces,
  readTheseSpans,
  removeSpans,
} from './stored-traces.js';
import { BATCHES, PAYLOADS, SPANS, TEXTS } from './tables.js';
import { writeTraces } from './write-traces.js';

/** Traces of a batch that, by a record, belong to a deleted session or user. Nothing of the batch is stored yet. */
interface LateTraces {
  lateTraceIds: readonly string[];
}

/** Skips rows that another batch deletes at the same time. */
const FORGET_BATCHES = `DELETE FROM ingest_batches WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM ingest_batches WHERE received_us < :beforeUs LIMIT 20000 FOR UPDATE SKIP LOCKED))`;

/** Stores a batch in an open transaction. */
export class IngestTransaction {
  private readonly receivedUs: number;

  constructor(
    private readonly db: PostgresTransaction,
    private readonly accountId: string,
    private readonly batch: IngestBatch,
    private readonly longFrom = LONG_FROM,
  ) {
    this.receivedUs = parseTimestamp(batch.receivedAt) ?? 0;
  }

  /**
   * @returns traces to delete before the batch can be stored, or the outcome
   * @throws ChangedMeanwhileError
   */
  async store(
    encoded: readonly EncodedSpan[],
    oldBatchIds?: { beforeUs: number },
  ): Promise<IngestOutcome | LateTraces> {
    const { db, accountId } = this;
    // Blocks deletions until this transaction ends.
    await lockAccount(db, accountId, 'shared');
    const facts = this.factsByTrace();
    const deleted = await findDeleted(db, accountId, [...facts.keys()]);
    const groups = await findDeletedGroups(db, accountId, listDigests(this.batch));
    const late = new DeletedGroups(groups).lateIn(this.batch);
    const lateTraceIds = [...late].filter((traceId) => !deleted.has(traceId));
    if (lateTraceIds.length > 0) return { lateTraceIds };
    if (oldBatchIds !== undefined) await db.run(FORGET_BATCHES, oldBatchIds);
    if (!(await this.noteBatch())) return { duplicate: true, dropped: 0 };
    for (const traceId of deleted) facts.delete(traceId);
    const kept = encoded.filter(({ span }) => !deleted.has(span.trace_id));
    const patches = this.batch.traces.filter(({ id }) => !deleted.has(id));
    await this.put(kept, facts);
    return {
      duplicate: false,
      dropped: encoded.length - kept.length + this.batch.traces.length - patches.length,
    };
  }

  private async noteBatch(): Promise<boolean> {
    const { batchId } = this.batch;
    if (batchId === undefined) return true;
    const row = { account_id: this.accountId, batch_id: batchId, received_us: this.receivedUs };
    return (await this.db.insertRows(BATCHES, [row], 'ON CONFLICT DO NOTHING')) === 1;
  }

  /** The batch's facts about each trace. */
  private factsByTrace(): Map<string, TraceFact[]> {
    const { spans, traces, receivedAt } = this.batch;
    const byTrace = new Map<string, TraceFact[]>();
    const listFacts = (traceId: string): TraceFact[] => {
      const known = byTrace.get(traceId) ?? [];
      byTrace.set(traceId, known);
      return known;
    };
    for (const span of spans) listFacts(span.trace_id).push(...readSpanFacts(span));
    for (const patch of traces) listFacts(patch.id).push(...readPatchFacts(patch, receivedAt));
    return byTrace;
  }

  private async put(encoded: readonly EncodedSpan[], facts: ReadonlyMap<string, TraceFact[]>): Promise<void> {
    if (facts.size === 0) return;
    const { db, accountId } = this;
    const before = await lockTraces(db, accountId, [...facts.keys()]);
    const waiting = new Map(
      [...before].filter(([traceId, old]) => canWait(old, facts.get(traceId) ?? [], this.longFrom)),
    );
    const read = [...before.keys()].filter((traceId) => !waiting.has(traceId));
    const refs = encoded.flatMap(({ span: { trace_id, id: span_id } }) =>
      waiting.has(trace_id) ? [{ trace_id, span_id }] : [],
    );
    const stored = await readSpansOfTraces(db, accountId, read);
    const spans = await this.putSpans(encoded, [...stored, ...(await readTheseSpans(db, accountId, refs))]);
    const contributions = await readContributions(db, accountId, read);
    const changed = [...facts].flatMap(([traceId, said]) => {
      const old = before.get(traceId);
      if (waiting.has(traceId)) return [];
      const all = old === undefined ? said : [...decodeFacts(traceId, old.facts), ...said];
      const startedUs = old?.started_us ?? this.receivedUs;
      const now = deriveTrace(traceId, spans.get(traceId) ?? [], all, startedUs);
      return [{ old, contribution: contributions.get(traceId), now }];
    });
    await writeTraces(db, accountId, changed);
    const later = Array.from(waiting, ([traceId, old]) => ({ old, said: facts.get(traceId) ?? [] }));
    await deriveLater(db, accountId, later);
  }

  /** @returns the spans of each trace, including the new ones */
  private async putSpans(
    encoded: readonly EncodedSpan[],
    stored: readonly KnownSpan[],
  ): Promise<Map<string, SpanRow[]>> {
    const known = new Map(stored.map((row) => [toKey(row.trace_id, row.span_id), row]));
    const changed = await this.joinWithStored(encoded, known);
    const replaced = [...changed.keys()].flatMap((name) => known.get(name)?.span_no ?? []);
    if (replaced.length > 0) {
      const numbers = `SELECT value FROM ${this.db.dialect.numbers(':numbers')} n`;
      await removeSpans(this.db, numbers, { numbers: JSON.stringify(replaced) });
    }
    const numbers = await this.takeNumbers(changed.size - replaced.length);
    const rows = Array.from(changed, ([name, span]) => {
      const row = toSpanRow(span, known.get(name)?.span_no ?? numbers.pop() ?? 0);
      return { span, row, place: { account_id: this.accountId, span_no: row.span_no } };
    });
    const added = await this.db.insertRows(
      SPANS,
      rows.map(({ row, place }) => ({ ...row, ...place })),
      'ON CONFLICT DO NOTHING',
    );
    // Another batch stored some of these spans first.
    if (added < rows.length) throw new ChangedMeanwhileError();
    await this.db.insertRows(
      PAYLOADS,
      rows.map(({ span, row: { span_no } }) => ({ ...span.payload, span_no })),
    );
    await this.db.insertRows(
      TEXTS,
      rows.map(({ span: { span, words, isCut }, place }) => ({
        ...place,
        trace_id: span.trace_id,
        words: ` ${words} `,
        is_cut: isCut,
      })),
    );
    for (const { row } of rows) known.set(toKey(row.trace_id, row.span_id), { ...row, is_open: 0 });
    return groupBy([...known.values()].sort(compareStarts), ({ trace_id }) => trace_id);
  }

  /** Reduces the records of a batch to one for each span, joined with its stored record. */
  private async joinWithStored(
    encoded: readonly EncodedSpan[],
    known: ReadonlyMap<string, KnownSpan>,
  ): Promise<Map<string, EncodedSpan>> {
    const arrived = new Map<string, EncodedSpan[]>();
    for (const one of encoded) {
      const name = toKey(one.span.trace_id, one.span.id);
      if (known.get(name)?.is_open === 0) continue;
      arrived.set(name, [...(arrived.get(name) ?? []), one]);
    }
    const open = [...arrived.keys()].flatMap((name) => known.get(name) ?? []);
    const begun = open.length === 0 ? [] : await readSpans(this.db, this.accountId, open);
    const begunBy = new Map(begun.map((span) => [toKey(span.trace_id, span.id), span]));
    const changed = new Map<string, EncodedSpan>();
    for (const [name, records] of arrived) {
      const first = begunBy.get(name);
      const spans = records.map(({ span }) => span);
      const joined = joinRecords(first === undefined ? spans : [first, ...spans]);
      if (joined === undefined || joined === first) continue;
      const one = records.find(({ span }) => span === joined) ?? encodeSpan(joined);
      changed.set(name, one);
    }
    return changed;
  }

  private async takeNumbers(count: number): Promise<number[]> {
    if (count === 0) return [];
    const rows = await this.db.all<{ span_no: number }>(
      `SELECT nextval('span_numbers') AS span_no FROM generate_series(1, :count::int)`,
      { count },
    );
    return rows.map(({ span_no }) => span_no).reverse();
  }
}

function toKey(traceId: string, spanId: string): string {
  return `${traceId}/${spanId}`;
}
