import type { OtlpPlace } from '@dacapo/protocol/otlp';
import type { SkippedSpan } from '../storage/meta/skipped-spans.js';
import type { SpanNode } from '../storage/ports/span-store.js';

/** Remembered spans of all accounts. The oldest are forgotten first. */
const MOST_SPANS = 50_000;

/** What the stores know of the traces of a request. */
export interface StoredLineage {
  readonly nodes: readonly SpanNode[];
  readonly skipped: readonly SkippedSpan[];
}

/** The skipped spans and the parents of one account. */
export interface AccountLineage {
  /** Notes that a span is not stored. @returns `false` if that was known */
  skip(place: OtlpPlace): boolean;
  /** Notes that a stored span has this parent. */
  markParent(traceId: string, spanId: string): void;
  /** Whether a stored span has this span as its parent. */
  isParent(place: OtlpPlace): boolean;
  /** The span itself, or its nearest ancestor that is not skipped; `undefined` if all are. */
  findStored(traceId: string, spanId: string): string | undefined;
}

/**
 * Finds the nearest stored ancestor of a span, so that a trace stays one tree in whatever order its spans arrive (docs/adr/0101). This
 * process remembers the spans of its latest requests, which the stores may not show yet; the stores know those of other processes.
 */
export class SpanLineage {
  /** The parent of each skipped span, `''` for a root. */
  private readonly skipped = new Recent<string>(MOST_SPANS);
  private readonly parents = new Recent<true>(MOST_SPANS);

  of(accountId: string, { nodes, skipped }: StoredLineage): AccountLineage {
    const name = (traceId: string, spanId: string): string => `${accountId}/${traceId}/${spanId}`;
    const storedParents = new Set(nodes.map(({ trace_id, parent_id }) => name(trace_id, parent_id ?? '')));
    const storedSkips = new Map(
      skipped.map(({ traceId, id, parentId = '' }) => [name(traceId, id), parentId]),
    );
    const findParent = (key: string): string | undefined => this.skipped.get(key) ?? storedSkips.get(key);
    return {
      skip: ({ traceId, id, parentId = '' }) => {
        const key = name(traceId, id);
        const isNew = findParent(key) === undefined;
        this.skipped.set(key, parentId);
        return isNew;
      },
      markParent: (traceId, spanId) => {
        this.parents.set(name(traceId, spanId), true);
      },
      isParent: ({ traceId, id }) => {
        const key = name(traceId, id);
        return storedParents.has(key) || this.parents.get(key) === true;
      },
      findStored: (traceId, spanId) => {
        const seen = new Set<string>();
        let id = spanId;
        for (let above = findParent(name(traceId, id)); above !== undefined;) {
          // A circle of parents has no stored ancestor.
          if (above === '' || seen.has(above)) return undefined;
          seen.add(above);
          id = above;
          above = findParent(name(traceId, id));
        }
        return id;
      },
    };
  }
}

/** A map that keeps the entries that were set last. */
class Recent<V> {
  private readonly entries = new Map<string, V>();

  constructor(private readonly most: number) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.most) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
