import { LIMITS } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import { BatchQueue } from './batching/batch-queue.js';
import { Batch } from './batching/batch.js';
import { BufferPool, splitLines, RECORD_START_LENGTH, readRecordId } from './batching/line-buffer.js';
import type { WorkingOptions } from '../options/delivery-options.js';
import type { DropLog } from './drop-log.js';
import type { DropReason } from './record-sink.js';
import type { Spool } from './spool/spool.js';
import { setImmediate } from './timers.js';

const MAX_IDS = 1000;

export interface BacklogParts {
  readonly options: WorkingOptions;
  readonly drops: DropLog;
  readonly spool: Spool | undefined;
  readonly nowMs: () => number;
  /** Called for the first record of a batch. */
  readonly onOpened: () => void;
  /** Called when a batch is ready to be sent. */
  readonly onSealed: () => void;
}

/** The waiting records: one open batch for new ones, and sealed batches. Enforces the limits. */
export class Backlog {
  readonly queue = new BatchQueue();
  private readonly pool: BufferPool;
  private open: Batch | undefined;
  private newest: Batch | undefined;
  private writesThrough: boolean;
  /** The process ends: nothing asynchronous runs any longer. */
  isAtEnd = false;
  private isEnding = false;

  constructor(private readonly parts: BacklogParts) {
    this.writesThrough = parts.options.spool === 'always';
    this.pool = new BufferPool(parts.options.maxBatchBytes);
  }

  /** Whether the last sealed batch was not tried yet. */
  get hasUntried(): boolean {
    return this.newest !== undefined && this.newest.attempts === 0 && this.queue.has(this.newest);
  }

  get hasOpenRecords(): boolean {
    return this.open !== undefined;
  }

  add(line: ByteString): void {
    const { options } = this.parts;
    const batch = this.open?.content?.write(line) === true ? this.open : this.openFor(line);
    if (batch === undefined) return;
    if (this.writesThrough) this.writeNow(batch);
    if (batch.records >= options.maxBatchRecords || batch.memoryBytes > options.maxBatchBytes) this.seal();
  }

  /** Seals the open batch, so that it can be sent. */
  seal(): void {
    const batch = this.open;
    if (batch === undefined) return;
    this.open = undefined;
    if (this.writesThrough) this.parts.spool?.save(batch);
    this.queue.add(batch);
    this.newest = batch;
    this.keepMemoryBound();
    this.parts.onSealed();
  }

  /** Queues batches that were found in files or split from others. */
  enqueue(batches: Iterable<Batch>): void {
    for (const batch of batches) this.queue.add(batch);
    this.parts.onSealed();
  }

  /** Removes a delivered batch. @param reuse whether its memory may be reused */
  finish(batch: Batch, reuse: boolean): void {
    this.queue.remove(batch);
    this.parts.spool?.remove(batch, this.isAtEnd);
    batch.release(reuse ? this.pool : undefined);
    if (this.queue.size === 0) this.pool.shrink();
  }

  /** Drops a whole batch. */
  drop(batch: Batch, reason: DropReason, body = batch.content?.view(), detail?: string): void {
    const ids = body === undefined ? [] : idsIn(body);
    const { records } = batch;
    this.finish(batch, false);
    this.parts.drops.drop(reason, records, ids, detail);
  }

  /** Removes a batch that the service refuses, and quarantines it in a file if possible. */
  quarantine(batch: Batch, status: number, body: Buffer, detail: string): void {
    const isKept = this.parts.spool?.quarantine(batch, status) === true;
    this.drop(batch, isKept ? 'quarantined' : 'refused', body, detail);
  }

  /** Replaces a batch by its parts. */
  replace(batch: Batch, parts: readonly Batch[]): void {
    const { spool } = this.parts;
    // The whole is removed last, so that a killed process leaves it to the next one.
    if (batch.file !== undefined && spool?.save(batch) === true) for (const part of parts) spool.save(part);
    this.finish(batch, true);
    this.enqueue(parts);
  }

  /**
   * Writes batches without a file: the open one, then sealed ones from the oldest.
   *
   * @param max sealed batches to write now; each takes about a millisecond
   */
  save(max = Number.POSITIVE_INFINITY): void {
    const { spool } = this.parts;
    if (spool === undefined) return;
    let left = max;
    for (const batch of this.queue) {
      if (left === 0) break;
      if (batch.isStored) continue;
      left--;
      if (!spool.save(batch)) break;
    }
    if (this.open !== undefined) spool.save(this.open, true);
    this.keepSpoolBound();
  }

  /** Writes all batches, and drops records that no file holds, including those that later exit listeners record. */
  end(): void {
    this.seal();
    this.save();
    for (const batch of this.queue) if (!batch.isStored) this.drop(batch, 'process_exit');
    this.parts.drops.reportAll();
    this.setEnding(true);
    // If this runs, it was not the end.
    setImmediate(() => {
      this.setEnding(false);
    }).unref();
  }

  /** Drops batches that waited in files for too long. */
  expire(): void {
    const { options, nowMs } = this.parts;
    for (const batch of this.queue) {
      const isOld = nowMs() - batch.begunAtMs > options.maxSpoolAgeMs;
      if (isOld && batch.file !== undefined && !batch.inFlight) this.drop(batch, 'spool_expired');
    }
  }

  /** Another process took the files of this thread because it seemed dead, so batches in memory get new ids. */
  disownFiles(): void {
    const { open } = this;
    if (open?.file !== undefined) {
      this.parts.spool?.forget(open.file);
      this.open = Batch.renewed(open);
    }
    for (const batch of this.queue) {
      if (batch.file === undefined || batch.content === undefined) continue;
      this.parts.spool?.forget(batch.file);
      batch.file = undefined;
    }
  }

  figures() {
    const { open, queue } = this;
    return {
      waiting: queue.sum((batch) => batch.records) + (open?.records ?? 0),
      spooled:
        queue.sum((batch) => (batch.isStored ? batch.records : 0)) + (open?.isStored ? open.records : 0),
      memoryBytes: this.memoryBytes(),
      spoolBytes: this.parts.spool?.bytes ?? 0,
    };
  }

  private setEnding(isEnding: boolean): void {
    this.isEnding = this.isAtEnd = isEnding;
    this.writesThrough = isEnding || this.parts.options.spool === 'always';
  }

  private writeNow(batch: Batch): void {
    if (this.isEnding) {
      this.end();
      return;
    }
    this.parts.spool?.save(batch, true);
    this.keepSpoolBound();
  }

  private openFor(line: ByteString): Batch | undefined {
    const { maxBatchBytes } = this.parts.options;
    this.seal();
    if (line.length > LIMITS.lineBytes) {
      const id = readRecordId(Buffer.from(line.slice(0, RECORD_START_LENGTH), 'latin1'));
      this.parts.drops.drop('too_large', 1, id === undefined ? [] : [id]);
      return undefined;
    }
    const batch = Batch.open(
      line.length < maxBatchBytes ? this.pool.take() : Buffer.allocUnsafeSlow(line.length + 1),
    );
    batch.begunAtMs = this.parts.nowMs();
    batch.content?.write(line);
    this.open = batch;
    this.parts.onOpened();
    return batch;
  }

  private memoryBytes(): number {
    return this.queue.sum((batch) => batch.memoryBytes) + (this.open?.memoryBytes ?? 0);
  }

  /** Keeps space for one more open batch. */
  private keepMemoryBound(): void {
    const { maxQueueBytes, maxBatchBytes } = this.parts.options;
    while (this.memoryBytes() + maxBatchBytes > maxQueueBytes) {
      const loose = this.queue.oldestIdle((batch) => batch.isLoose);
      if (loose !== undefined) {
        loose.trim(this.pool);
        continue;
      }
      const oldest = this.queue.oldestIdle((batch) => batch.content !== undefined);
      if (oldest === undefined) return;
      if (oldest.isStored || this.parts.spool?.save(oldest) === true) oldest.release(this.pool);
      else this.drop(oldest, 'memory_full');
      this.keepSpoolBound();
    }
  }

  private keepSpoolBound(): void {
    const { spool, options } = this.parts;
    if (spool === undefined) return;
    while (spool.bytes > 0 && spool.bytes + spool.othersBytes > options.maxSpoolBytes) {
      const oldest = this.queue.oldestIdle((batch) => batch.file !== undefined);
      if (oldest === undefined) return;
      if (oldest.content === undefined) this.drop(oldest, 'spool_full');
      else spool.remove(oldest);
    }
  }
}

function idsIn(body: Buffer): string[] {
  const ids: string[] = [];
  for (const line of splitLines(body)) {
    const id = readRecordId(line);
    if (id !== undefined) ids.push(id);
    if (ids.length === MAX_IDS) break;
  }
  return ids;
}
