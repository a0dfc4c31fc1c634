import type { Batch } from './batch.js';

/** Sealed batches, oldest first, including those being sent. */
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
   * The next batch to send, of those that may be tried now: batches that were not refused first, then the least tried, then
   * the oldest.
   *
   * @param whileRefused fresh batches first, then the least tried, then the newest, to find the smallest parts soonest
   */
  next(nowMs: number, readyAtMs: (batch: Batch) => number, whileRefused: boolean): Batch | undefined {
    let next: Batch | undefined;
    for (const batch of this.batches) {
      if (batch.inFlight || readyAtMs(batch) > nowMs) continue;
      if (!whileRefused && rank(batch) === 0 && batch.attempts === 0) return batch;
      const order =
        next === undefined
          ? -1
          : rank(batch, whileRefused) - rank(next, whileRefused) || batch.attempts - next.attempts;
      if (order < 0 || (whileRefused && order === 0)) next = batch;
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

  /** The oldest batch that is not being sent and that `fits`. */
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

function rank(batch: Batch, whileRefused = false): number {
  if (batch.isFresh) return 0;
  const isSuspect = whileRefused || batch.refusedAtStored !== undefined;
  return isSuspect ? 1 : 0;
}
