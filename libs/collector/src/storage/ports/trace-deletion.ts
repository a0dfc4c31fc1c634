import { createHash } from 'node:crypto';
import {
  type DeletionCounts,
  formatTimestamp,
  parseTimestamp,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import type { Position, Range } from './range.js';

/** Which traces are to go. Conditions hold together. */
export interface DeletableFilter {
  traceIds?: readonly string[];
  sessionId?: string;
  userId?: string;
  /** Traces with a call of this key. */
  traceFunctionKey?: string;
  /** Started before; under a key, where it was first called before. */
  before?: string;
  /** Not those with a call of one of these keys. */
  exceptKeys?: readonly string[];
}

export interface DeletablePage {
  traceIds: string[];
  /** Where to look on; absent at the end. */
  next?: Position;
}

export interface TraceDeletion {
  /** Under which the store counts what it deletes; see `TraceDeletions.counts`. */
  deletionId?: string;
  /** Until when what comes of the traces is dropped. */
  forgetAt: string;
  /** The most spans that one part deletes. */
  mostSpans: number;
}

/** The traces of a session, or of a user. */
export interface TraceGroup {
  readonly by: 'session_id' | 'user_id';
  readonly id: string;
}

export interface GroupDeletion {
  deletionId?: string;
  deletedAt: string;
  forgetAt: string;
}

/** What one part of a deletion took away. */
export interface DeletedPart {
  traces: number;
  spans: number;
  isDone: boolean;
}

/** The part of a span store that takes away. Every method sees one account's data alone. */
export interface TraceDeletions {
  /** The newest first, as many as were looked at in one go. */
  list(accountId: string, filter: DeletableFilter, range: Range): Promise<DeletablePage>;

  count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }>;

  /**
   * Takes away these traces, whole: a part of them, so that others do not wait for long; again until it is done. From the first
   * part on they are in no list, and what is ingested of them is dropped, until `forgetAt`.
   */
  deleteTraces(accountId: string, traceIds: readonly string[], deletion: TraceDeletion): Promise<DeletedPart>;

  /** Whether the trace was taken away, until that is forgotten. One of which nothing was ever stored may have been, too. */
  isDeleted(accountId: string, traceId: string): Promise<boolean>;

  /**
   * Takes away no trace. What says that it is of the session or the user, and was recorded before `deletedAt`, is dropped from now on
   * with all of its trace, until `forgetAt`.
   */
  deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void>;

  /** What was deleted under this id: exact, whatever process died in the middle. */
  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>>;

  /** Resolves when nothing of what was deleted is left in what is counted behind ingest. */
  settle(accountId: string): Promise<void>;

  /**
   * Removes what was deleted from everything else that the store has: words that texts are searched by, logs and files. One try,
   * which may take a minute among a million spans; it delays no write. It ends early when it is aborted.
   *
   * @returns what it waits for, a phrase; undefined when nothing is left
   */
  scrub(signal?: AbortSignal): Promise<string | undefined>;

  /** Forgets deletions whose `forgetAt` has come, of all accounts. */
  forget(now: string): Promise<void>;
}

interface Batch {
  spans: SpanRecord[];
  traces: TraceRecord[];
  receivedAt: string;
}

/** Sessions and users of one account that were deleted, and when, in microseconds. Their ids are not kept: they may name a person. */
export class DeletedGroups {
  private readonly deletedUs = new Map<string, number>();

  add(digest: string, deletedUs: number): void {
    this.deletedUs.set(digest, Math.max(deletedUs, this.deletedUs.get(digest) ?? 0));
  }

  /** Traces of a batch that say that they are of them, from before. */
  lateIn({ spans, traces, receivedAt }: Batch): Set<string> {
    const traceIds = new Set<string>();
    if (this.deletedUs.size === 0) return traceIds;
    const isLate = (record: { session_id?: string; user_id?: string }, at: string): boolean =>
      GROUPED_BY.some((by) => {
        const id = record[by];
        const deletedUs = id === undefined ? undefined : this.deletedUs.get(digestOfGroup({ by, id }));
        return deletedUs !== undefined && (parseTimestamp(at) ?? 0) < deletedUs;
      });
    for (const span of spans) if (isLate(span, span.ended_at ?? span.started_at)) traceIds.add(span.trace_id);
    for (const patch of traces) if (isLate(patch, patch.at ?? receivedAt)) traceIds.add(patch.id);
    return traceIds;
  }
}

/** How long what comes late of something that was deleted is dropped. A spool waits no longer. */
const REMEMBERED_US = 400 * 24 * 3600 * 1e6;

export function rememberedUntil(deletedAt: string): string {
  return formatTimestamp((parseTimestamp(deletedAt) ?? 0) + REMEMBERED_US);
}

export const GROUPED_BY = ['session_id', 'user_id'] as const satisfies readonly TraceGroup['by'][];

/** A session and a user may have the same id. */
export function digestOfGroup({ by, id }: TraceGroup): string {
  return by === 'session_id' ? hashId(id) : `user:${hashId(id)}`;
}

/** Of the sessions and users that the records of a batch name, each once. */
export function listDigests({ spans, traces }: Pick<Batch, 'spans' | 'traces'>): string[] {
  const digests = [...spans, ...traces].flatMap((record) =>
    GROUPED_BY.flatMap((by) => {
      const id = record[by];
      return id === undefined ? [] : [digestOfGroup({ by, id })];
    }),
  );
  return [...new Set(digests)];
}

export function hashId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
