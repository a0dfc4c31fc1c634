import type { Batch } from './batch.js';

/** Sealed batches, the oldest first, among them those on their way. */
export class BatchQueue implements Iterable<Batch> {
  private readonly batches = new Set<Batch>();
  private sealed = 0;

  get size(): number {
    return this.batches.size;
  }

  [Symbol.iterator](): IterableIterator<Batch> {
    return this.batches.values();
  }

  /** Sequence of the newest batch so far. */
  get lastSequence(): number {
    return this.sealed;
  }

  add(batch: Batch): void {
    if (batch.sequence === 0) batch.sequence = ++this.sealed;
    this.batches.add(batch);
  }

  /** Whether a batch up to `sequence` still waits. */
  holds(sequence: number): boolean {
    for (const batch of this.batches) if (batch.sequence <= sequence) return true;
    return false;
  }

  has(batch: Batch): boolean {
    return this.batches.has(batch);
  }

  remove(batch: Batch): void {
    this.batches.delete(batch);
  }

  /**
   * The batch to send next, of those that may be tried now: batches that were never refused first, then the least tried.
   *
   * @param newest whether the newest of equals goes first, rather than the oldest
   */
  next(nowMs: number, readyAtMs: (batch: Batch) => number, newest: boolean): Batch | undefined {
    let next: Batch | undefined;
    for (const batch of this.batches) {
      if (batch.inFlight || readyAtMs(batch) > nowMs) continue;
      if (!newest && !batch.isSuspect && batch.attempts === 0) return batch;
      const order = next === undefined ? -1 : compareUrgency(batch, next);
      if (order < 0 || (newest && order === 0)) next = batch;
    }
    return next;
  }

  /** When the next waiting batch may be tried; `undefined` when none waits. */
  nextReadyAtMs(readyAtMs: (batch: Batch) => number): number | undefined {
    let next: number | undefined;
    for (const batch of this.batches) {
      if (!batch.inFlight) next = Math.min(next ?? Infinity, readyAtMs(batch));
    }
    return next;
  }

  /** The oldest batch that is not on its way and that `fits`. */
  oldestIdle(fits: (batch: Batch) => boolean): Batch | undefined {
    for (const batch of this.batches) if (!batch.inFlight && fits(batch)) return batch;
    return undefined;
  }

  every(holds: (batch: Batch) => boolean): boolean {
    for (const batch of this.batches) if (!holds(batch)) return false;
    return true;
  }

  sum(figure: (batch: Batch) => number): number {
    let total = 0;
    for (const batch of this.batches) total += figure(batch);
    return total;
  }
}

function compareUrgency(a: Batch, b: Batch): number {
  return Number(a.isSuspect) - Number(b.isSuspect) || a.attempts - b.attempts;
}
