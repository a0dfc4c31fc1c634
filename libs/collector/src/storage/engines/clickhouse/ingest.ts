import { readPatchFacts, readSpanFacts, parseTimestamp } from '@dacapo/protocol';
import type { Clock } from '../../../clock.js';
import { sha256 } from '../../../sha256.js';
import type { Arrival, DeletedAmong } from '../../meta/arrivals.js';
import type { MetaStore } from '../../meta/meta-store.js';
import type { IngestBatch, IngestOutcome } from '../../ports/span-store.js';
import { DeletedGroups, listDigests, rememberedUntil } from '../../ports/trace-deletion.js';
import { type EncodedSpan, encodeSpans } from '../../spans/encode-spans.js';
import { OldBatchIds } from '../../spans/old-batch-ids.js';
import type { ClickHouseConnection } from './connection.js';
import { deriveVersions } from './derive-versions.js';
import { toPatchRow, toRecordRow } from './record-rows.js';
import type { ClickHouseTraceDeletions } from './trace-deletions.js';

/**
 * Stores batches. Records are stored before `MetaStore` notes the batch, so a crash in between loses nothing: the client sends the batch
 * again, and ClickHouse drops the records that it has. Deletions are looked up before and after the insert, so one of the two looks finds
 * a concurrent deletion.
 */
export class Ingest {
  private lastNo = 0;
  private readonly oldBatchIds = new OldBatchIds();

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly arrivals: MetaStore['arrivals'],
    private readonly deletions: ClickHouseTraceDeletions,
    private readonly clock: Readonly<Clock>,
  ) {}

  async store(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const { batchId } = batch;
    if (batchId !== undefined && (await this.arrivals.isKnown(accountId, batchId))) {
      return { duplicate: true, dropped: 0 };
    }
    const arrival = toArrival(batch);
    const deleted = await this.deleteLate(accountId, batch, await this.findDeleted(accountId, arrival));
    const spans = await encodeSpans(accountId, batch);
    const kept = spans.filter(({ span }) => !deleted.has(span.trace_id));
    const rows = this.toRows(accountId, batch, kept, deleted);
    await this.connection.insert(
      'span_records',
      rows,
      batchId && sha256(JSON.stringify([accountId, batchId])),
    );
    const traceIds = arrival.traceIds.filter((id) => !deleted.has(id));
    await deriveVersions(this.connection, accountId, traceIds, () => this.takeNumber());
    const meanwhile = await this.findDeleted(accountId, { ...arrival, traceIds });
    await this.deleteLate(accountId, batch, meanwhile);
    await this.deletions.removeRows(accountId, meanwhile.traceIds);
    const isNew = await this.noteBatch(accountId, batch);
    const dropped = batch.spans.length + batch.traces.length - rows.length;
    return isNew ? { duplicate: false, dropped } : { duplicate: true, dropped: 0 };
  }

  private toRows(
    accountId: string,
    { traces, receivedAt }: IngestBatch,
    spans: readonly EncodedSpan[],
    deleted: ReadonlySet<string>,
  ): object[] {
    const received_us = parseTimestamp(receivedAt) ?? 0;
    const takePlace = () => ({ account_id: accountId, row_no: this.takeNumber(), received_us });
    const patches = traces.filter(({ id }) => !deleted.has(id));
    return [
      ...spans.map((one) => toRecordRow(one, readSpanFacts(one.span), takePlace())),
      ...patches.map((patch) => toPatchRow(patch.id, readPatchFacts(patch, receivedAt), takePlace())),
    ];
  }

  /** Numbers increase with time, and this process uses each once. */
  private takeNumber(): number {
    this.lastNo = Math.max(this.lastNo + 1, this.clock.nowUs());
    return this.lastNo;
  }

  private findDeleted(accountId: string, arrival: Arrival): Promise<DeletedAmong> {
    return this.arrivals.findDeleted(accountId, arrival);
  }

  /** Deletes traces with a record that names a deleted session or user. @returns all deleted traces */
  private async deleteLate(
    accountId: string,
    batch: IngestBatch,
    { traceIds, groups }: DeletedAmong,
  ): Promise<Set<string>> {
    const deleted = new Set(traceIds);
    const late = [...new DeletedGroups(groups).lateIn(batch)].filter((traceId) => !deleted.has(traceId));
    if (late.length === 0) return deleted;
    await this.deletions.deleteLate(accountId, late, rememberedUntil(batch.receivedAt));
    return new Set([...deleted, ...late]);
  }

  /** @returns whether the batch is new */
  private async noteBatch(accountId: string, { batchId, receivedAt }: IngestBatch): Promise<boolean> {
    if (batchId === undefined) return true;
    const receivedUs = parseTimestamp(receivedAt) ?? 0;
    const old = this.oldBatchIds.due(receivedAt);
    return this.arrivals.noteBatch(accountId, {
      batchId,
      receivedUs,
      ...(old !== undefined && { forgetBeforeUs: old.beforeUs }),
    });
  }
}

function toArrival(batch: IngestBatch): Arrival {
  const { spans, traces } = batch;
  const traceIds = [...spans.map(({ trace_id }) => trace_id), ...traces.map(({ id }) => id)];
  return { traceIds: [...new Set(traceIds)], digests: listDigests(batch) };
}
