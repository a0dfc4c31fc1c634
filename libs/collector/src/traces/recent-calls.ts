import type { SpanRecord } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { type SpanRef, SpanStore } from '../storage/ports/span-store.js';

/** The maximum of kept payload bytes: a page of large payloads. */
const BYTES = 16 * 1024 * 1024;

/**
 * Caches the calls that a replay has just fetched. When it reports their outcomes, they need not be read again, because finished calls
 * never change.
 */
@Injectable()
export class RecentCalls {
  /** New calls fill one half of the bytes. When it is full, the older half is dropped. */
  private newer = new Map<string, SpanRecord>();
  private older: ReadonlyMap<string, SpanRecord> = new Map();
  private newerBytes = 0;

  constructor(private readonly store: SpanStore) {}

  /** @param bytes the size of its payload */
  keep(accountId: string, span: SpanRecord, bytes: number): void {
    const { atomicBatches, hasOneProcess } = this.store.capabilities;
    // Without these two, the payload of a finished span may arrive later, or another process may delete it.
    if (span.status === 'unfinished' || !atomicBatches || !hasOneProcess) return;
    if (bytes > BYTES / 2) return;
    if (this.newerBytes + bytes > BYTES / 2) {
      this.older = this.newer;
      this.newer = new Map();
      this.newerBytes = 0;
    }
    this.newerBytes += bytes;
    this.newer.set(toKey(accountId, { trace_id: span.trace_id, span_id: span.id }), span);
  }

  /** Drops all calls, because some have been deleted. */
  clear(): void {
    this.newer = new Map();
    this.older = new Map();
    this.newerBytes = 0;
  }

  /** Like `SpanStore.readSpans`, from the cache where possible. */
  async read(accountId: string, refs: readonly SpanRef[]): Promise<SpanRecord[]> {
    const known = refs.map((ref) => {
      const name = toKey(accountId, ref);
      return this.newer.get(name) ?? this.older.get(name);
    });
    const others = refs.filter((_, index) => known[index] === undefined);
    const read = others.length === 0 ? [] : await this.store.readSpans(accountId, others);
    return [...known.filter((span) => span !== undefined), ...read];
  }
}

function toKey(accountId: string, { trace_id, span_id }: SpanRef): string {
  return `${accountId}/${trace_id}/${span_id}`;
}
