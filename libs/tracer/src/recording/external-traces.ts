import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';

/** How many external traces are remembered; the one that was used longest ago is evicted first. */
const MAX_TRACES = 1_000;
/** How many ended spans of a trace are remembered, so that a late start does not bring one in again. */
const MAX_ENDED = 1_000;

export interface ExternalTrace {
  readonly trace: ActiveTrace;
  /** Spans by the other library's ids. */
  readonly open: Map<string, ActiveSpan>;
  readonly ended: RecentIds;
  /** Whether the library reported its end. */
  closed: boolean;
}

/**
 * External traces by their own ids. Their number is bounded, because a library may never report the end of a trace.
 *
 * Eviction is harmless: ids can be derived again, and an open span is added again when it ends.
 */
export class ExternalTraces {
  private readonly byId = new Map<string, ExternalTrace>();

  get size(): number {
    return this.byId.size;
  }

  get(id: string): ExternalTrace | undefined {
    return this.byId.get(id);
  }

  getOrOpen(id: string, open: () => ActiveTrace): ExternalTrace {
    const known = this.byId.get(id);
    const trace = known ?? { trace: open(), open: new Map(), ended: new RecentIds(), closed: false };
    this.byId.delete(id);
    this.byId.set(id, trace);
    if (this.byId.size > MAX_TRACES) this.evictOldest();
    return trace;
  }

  close(id: string): void {
    const trace = this.byId.get(id);
    if (trace === undefined) return;
    trace.closed = true;
    if (trace.open.size === 0) this.byId.delete(id);
  }

  private evictOldest(): void {
    for (const [id, trace] of this.byId) {
      for (const span of trace.open.values()) span.discard();
      this.byId.delete(id);
      return;
    }
  }
}

class RecentIds {
  private readonly ids = new Set<string>();

  has(id: string): boolean {
    return this.ids.has(id);
  }

  add(id: string): void {
    this.ids.add(id);
    if (this.ids.size > MAX_ENDED) {
      for (const oldest of this.ids) {
        this.ids.delete(oldest);
        return;
      }
    }
  }
}
