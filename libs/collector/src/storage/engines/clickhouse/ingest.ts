import { factsOfPatch, factsOfSpan, parseTimestamp } from '@dacapo/protocol';
import type { Clock } from '../../../clock.js';
import { sha256 } from '../../../sha256.js';
import type { Arrival, DeletedAmong } from '../../meta/arrivals.js';
import type { MetaStore } from '../../meta/meta-store.js';
import { BATCH_IDS_KEPT_US, type IngestBatch, type IngestOutcome } from '../../ports/span-store.js';
import { DeletedGroups, listDigests, rememberedUntil } from '../../ports/trace-deletion.js';
import { type EncodedSpan, encodeSpans } from '../../spans/encode-spans.js';
import type { ClickHouseConnection } from './connection.js';
import { deriveVersions } from './derive-versions.js';
import { toPatchRow, toRecordRow } from './record-rows.js';
import type { ClickHouseTraceDeletions } from './trace-deletions.js';

const FORGET_EVERY_US = 10e6;

/**
 * Stores batches. A record is stored before `MetaStore` knows its batch, so a crash in between loses nothing: the batch comes again, and
 * ClickHouse drops the records that it has. What was deleted is looked for before and after: whatever is deleted in between is found by one
 * of the two.
 */
export class Ingest {
  private lastNo = 0;
  private forgotUs = 0;

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
    const spans = await encodeSpans(accountId, batch, (span) => span);
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
      ...spans.map((one) => toRecordRow(one, factsOfSpan(one.span), takePlace())),
      ...patches.map((patch) => toPatchRow(patch.id, factsOfPatch(patch, receivedAt), takePlace())),
    ];
  }

  /** Numbers rise with the time, and this process takes each once. */
  private takeNumber(): number {
    this.lastNo = Math.max(this.lastNo + 1, this.clock.nowUs());
    return this.lastNo;
  }

  private findDeleted(accountId: string, arrival: Arrival): Promise<DeletedAmong> {
    return this.arrivals.findDeleted(accountId, arrival);
  }

  /** Deletes traces whose records show that they are of a deleted session or user. @returns all deleted traces */
  private async deleteLate(
    accountId: string,
    batch: IngestBatch,
    { traceIds, groups }: DeletedAmong,
  ): Promise<Set<string>> {
    const deleted = new Set(traceIds);
    const known = new DeletedGroups();
    for (const group of groups) known.add(...group);
    const late = [...known.lateIn(batch)].filter((traceId) => !deleted.has(traceId));
    if (late.length === 0) return deleted;
    await this.deletions.deleteLate(accountId, late, rememberedUntil(batch.receivedAt));
    return new Set([...deleted, ...late]);
  }

  /** @returns whether it is new */
  private async noteBatch(accountId: string, { batchId, receivedAt }: IngestBatch): Promise<boolean> {
    if (batchId === undefined) return true;
    const receivedUs = parseTimestamp(receivedAt) ?? 0;
    const forgets = Math.abs(receivedUs - this.forgotUs) >= FORGET_EVERY_US;
    if (forgets) this.forgotUs = receivedUs;
    return this.arrivals.noteBatch(accountId, {
      batchId,
      receivedUs,
      ...(forgets && { forgetBeforeUs: receivedUs - BATCH_IDS_KEPT_US }),
    });
  }
}

function toArrival(batch: IngestBatch): Arrival {
  const { spans, traces } = batch;
  const traceIds = [...spans.map(({ trace_id }) => trace_id), ...traces.map(({ id }) => id)];
  return { traceIds: [...new Set(traceIds)], digests: listDigests(batch) };
}
