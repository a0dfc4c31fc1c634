import type { SpanRecord } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { type SpanRef, SpanStore } from '../storage/ports/span-store.js';

/** Payload bytes that are kept at most: a page of great payloads. */
const BYTES = 16 * 1024 * 1024;

/**
 * Calls that a replay was given a moment ago. It reports on them next, and then they need not be read again: what is
 * finished never changes.
 */
@Injectable()
export class RecentCalls {
  /** What comes in fills one half of the bytes; then the other half goes. */
  private newer = new Map<string, SpanRecord>();
  private older: ReadonlyMap<string, SpanRecord> = new Map();
  private newerBytes = 0;

  constructor(private readonly store: SpanStore) {}

  /** @param bytes of its payload, as the store counts them */
  keep(accountId: string, span: SpanRecord, bytes: number): void {
    const { atomicBatches, hasOneProcess } = this.store.capabilities;
    // Without one of them, the payload of a finished span may still be on its way, or deleted by another process.
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

  /** Lets go of all: some of it was deleted. */
  clear(): void {
    this.newer = new Map();
    this.older = new Map();
    this.newerBytes = 0;
  }

  /** These spans with their payloads, as `SpanStore.readSpans`. */
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
