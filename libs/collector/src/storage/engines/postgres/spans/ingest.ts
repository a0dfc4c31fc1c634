import { factsOfPatch, factsOfSpan, parseTimestamp, type TraceFact } from '@dacapo/protocol';
import { findDeleted } from '../../../meta/deleted-traces.js';
import { BATCH_IDS_KEPT_US, type IngestBatch, type IngestOutcome } from '../../../ports/span-store.js';
import { DeletedGroups, listDigests } from '../../../ports/trace-deletion.js';
import { joinRecords } from '../../../rules/join-records.js';
import { accountPrefix } from '../../../spans/account-prefix.js';
import { decodeFacts, deriveTrace } from '../../../spans/derive-trace.js';
import { encodeSpan } from '../../../spans/encode-spans.js';
import { compareStarts, groupBy } from '../../../spans/group-rows.js';
import type { SpanRow } from '../../../spans/rows.js';
import { ChangedMeanwhileError } from '../connection.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { lockAccount } from './locks.js';
import { canWait, deriveLater, LONG_FROM } from './long-traces.js';
import { readSpans } from './read-spans.js';
import { type IndexedSpan, indexSpan, toSpanRow } from './span-rows.js';
import {
  type KnownSpan,
  lockTraces,
  readContributions,
  readSpansOfTraces,
  readTheseSpans,
} from './stored-traces.js';
import { BATCHES, PAYLOADS, SPANS, TEXTS } from './tables.js';
import { writeTraces } from './write-traces.js';

/** Traces of a batch whose records show that they are of a session or a user that was deleted: nothing of the batch is stored yet. */
interface LateTraces {
  lateTraceIds: readonly string[];
}

/** Other batches may forget the same ones: each takes those that no other has. */
const FORGET_BATCHES = `DELETE FROM ingest_batches WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM ingest_batches WHERE received_us < :beforeUs LIMIT 20000 FOR UPDATE SKIP LOCKED))`;

/** Stores a batch in the transaction that is open. */
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
   * @returns traces to delete before the batch can be stored; or what became of it
   * @throws ChangedMeanwhileError
   */
  async store(encoded: readonly IndexedSpan[], forgetsBatches: boolean): Promise<IngestOutcome | LateTraces> {
    const { db, accountId } = this;
    // No more is deleted until this transaction ends.
    await lockAccount(db, accountId, 'shared');
    const facts = this.factsByTrace();
    const deleted = await findDeleted(db, accountId, [...facts.keys()]);
    const late = (await this.deletedGroups()).lateIn(this.batch);
    const lateTraceIds = [...late].filter((traceId) => !deleted.has(traceId));
    if (lateTraceIds.length > 0) return { lateTraceIds };
    if (forgetsBatches) await db.run(FORGET_BATCHES, { beforeUs: this.receivedUs - BATCH_IDS_KEPT_US });
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

  /** What the records of the batch say of each trace. */
  private factsByTrace(): Map<string, TraceFact[]> {
    const { spans, traces, receivedAt } = this.batch;
    const byTrace = new Map<string, TraceFact[]>();
    const listFacts = (traceId: string): TraceFact[] => {
      const known = byTrace.get(traceId) ?? [];
      byTrace.set(traceId, known);
      return known;
    };
    for (const span of spans) listFacts(span.trace_id).push(...factsOfSpan(span));
    for (const patch of traces) listFacts(patch.id).push(...factsOfPatch(patch, receivedAt));
    return byTrace;
  }

  private async deletedGroups(): Promise<DeletedGroups> {
    const digests = listDigests(this.batch);
    const groups = new DeletedGroups();
    if (digests.length === 0) return groups;
    const rows = await this.db.all<{ digest: string; deleted_us: number }>(
      `SELECT digest, deleted_us FROM deleted_groups WHERE account_id = :accountId
        AND digest IN (SELECT value FROM ${this.db.dialect.texts(':digests')})`,
      { accountId: this.accountId, digests: JSON.stringify(digests) },
    );
    for (const { digest, deleted_us } of rows) groups.add(digest, deleted_us);
    return groups;
  }

  private async put(encoded: readonly IndexedSpan[], facts: ReadonlyMap<string, TraceFact[]>): Promise<void> {
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

  /** @returns the spans of each trace, with those that are stored now */
  private async putSpans(
    encoded: readonly IndexedSpan[],
    stored: readonly KnownSpan[],
  ): Promise<Map<string, SpanRow[]>> {
    const known = new Map(stored.map((row) => [toKey(row.trace_id, row.span_id), row]));
    const changed = await this.joinWithStored(encoded, known);
    const replaced = [...changed.keys()].flatMap((name) => known.get(name)?.span_no ?? []);
    await this.removeSpans(replaced);
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
    // Another batch began the same traces meanwhile.
    if (added < rows.length) throw new ChangedMeanwhileError();
    await this.db.insertRows(
      PAYLOADS,
      rows.map(({ span, place }) => ({ ...span.payload, ...place })),
    );
    await this.db.insertRows(
      TEXTS,
      rows.map(({ span, place }) => ({ ...span.text, ...place, trace_id: span.span.trace_id })),
    );
    for (const { row } of rows) known.set(toKey(row.trace_id, row.span_id), { ...row, is_open: 0 });
    return groupBy([...known.values()].sort(compareStarts), ({ trace_id }) => trace_id);
  }

  /** What is to be stored of the records of a batch: of each span one, joined with what came of it before. */
  private async joinWithStored(
    encoded: readonly IndexedSpan[],
    known: ReadonlyMap<string, KnownSpan>,
  ): Promise<Map<string, IndexedSpan>> {
    const arrived = new Map<string, IndexedSpan[]>();
    for (const one of encoded) {
      const name = toKey(one.span.trace_id, one.span.id);
      if (known.get(name)?.is_open === 0) continue;
      arrived.set(name, [...(arrived.get(name) ?? []), one]);
    }
    const open = [...arrived.keys()].flatMap((name) => known.get(name) ?? []);
    const begun = open.length === 0 ? [] : await readSpans(this.db, this.accountId, open);
    const begunBy = new Map(begun.map((span) => [toKey(span.trace_id, span.id), span]));
    const changed = new Map<string, IndexedSpan>();
    for (const [name, records] of arrived) {
      const first = begunBy.get(name);
      const spans = records.map(({ span }) => span);
      const joined = joinRecords(first === undefined ? spans : [first, ...spans]);
      if (joined === undefined || joined === first) continue;
      const one =
        records.find(({ span }) => span === joined) ??
        indexSpan(accountPrefix(this.accountId), encodeSpan(joined));
      changed.set(name, one);
    }
    return changed;
  }

  private async removeSpans(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    for (const table of [TEXTS, PAYLOADS, SPANS]) {
      await this.db.run(
        `DELETE FROM ${table.name} WHERE span_no IN (SELECT value FROM ${this.db.dialect.numbers(':numbers')} n)`,
        { numbers: JSON.stringify(numbers) },
      );
    }
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
