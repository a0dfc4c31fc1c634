import { createHash } from 'node:crypto';
import {
  type DeletionCounts,
  formatTimestamp,
  parseTimestamp,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import type { Position, Range } from './range.js';

/** Selects traces to delete. A trace matches all conditions. */
export interface DeletableFilter {
  traceIds?: readonly string[];
  sessionId?: string;
  userId?: string;
  /** Traces with a call with this key. */
  traceFunctionKey?: string;
  /** Traces that started before this time; with a key, whose first call of the key did. */
  before?: string;
  /** Skips traces with a call with one of these keys. */
  exceptKeys?: readonly string[];
}

export interface DeletablePage {
  traceIds: string[];
  /** Where the next page continues; absent at the end. */
  next?: Position;
}

export interface TraceDeletion {
  /** The deletion whose counts grow; see `TraceDeletions.counts`. */
  deletionId?: string;
  /** Late records of the traces are dropped until then. */
  forgetAt: string;
  /** The maximum of spans that one part deletes. */
  mostSpans: number;
}

/** The traces of a session or of a user. */
export interface TraceGroup {
  readonly by: 'session_id' | 'user_id';
  readonly id: string;
}

export interface GroupDeletion {
  deletionId?: string;
  deletedAt: string;
  forgetAt: string;
}

/** The result of one part of a deletion. */
export interface DeletedPart {
  traces: number;
  spans: number;
  isDone: boolean;
}

/** The deletions of a span store. Every method is limited to one account. */
export interface TraceDeletions {
  /** Matching traces, newest first. A page may be short, because a store reads a limited number at a time. */
  list(accountId: string, filter: DeletableFilter, range: Range): Promise<DeletablePage>;

  count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }>;

  /**
   * Deletes a part of these traces, so that other writes do not wait long. Call it until it is done. From the first part on, no list
   * shows any of the traces, and late records of them are dropped until `forgetAt`.
   */
  deleteTraces(accountId: string, traceIds: readonly string[], deletion: TraceDeletion): Promise<DeletedPart>;

  /** Whether the trace was deleted, until `forgetAt`. Also `true` for a deleted trace that had no records. */
  isDeleted(accountId: string, traceId: string): Promise<boolean>;

  /**
   * Deletes no trace. From now on until `forgetAt`, drops a trace if a record of it names the session or the user and was recorded
   * before `deletedAt`.
   */
  deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void>;

  /** The exact counts of a deletion, even if a process died in the middle of it. */
  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>>;

  /** Resolves when work behind ingest counts nothing that was deleted. */
  settle(accountId: string): Promise<void>;

  /**
   * Removes deleted data from the text index, logs and files. Tries once, which may take a minute with a million spans, and delays no
   * write. The signal ends it early.
   *
   * @returns a phrase that names what blocks it; `undefined` when nothing is left
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

/** Deleted sessions and users of one account, with the time in microseconds. Stores digests, because an id may name a person. */
export class DeletedGroups {
  private readonly deletedUs = new Map<string, number>();

  constructor(deleted: readonly (readonly [digest: string, deletedUs: number])[] = []) {
    for (const [digest, deletedUs] of deleted) this.add(digest, deletedUs);
  }

  add(digest: string, deletedUs: number): void {
    this.deletedUs.set(digest, Math.max(deletedUs, this.deletedUs.get(digest) ?? 0));
  }

  /** Traces in a batch with a record that names a deleted session or user and was recorded before the deletion. */
  lateIn({ spans, traces, receivedAt }: Batch): Set<string> {
    const traceIds = new Set<string>();
    if (this.deletedUs.size === 0) return traceIds;
    const isLate = (record: { session_id?: string; user_id?: string }, at: string): boolean =>
      GROUPED_BY.some((by) => {
        const id = record[by];
        const deletedUs = id === undefined ? undefined : this.deletedUs.get(digestGroup({ by, id }));
        return deletedUs !== undefined && (parseTimestamp(at) ?? 0) < deletedUs;
      });
    for (const span of spans) if (isLate(span, span.ended_at ?? span.started_at)) traceIds.add(span.trace_id);
    for (const patch of traces) if (isLate(patch, patch.at ?? receivedAt)) traceIds.add(patch.id);
    return traceIds;
  }
}

/** How long late records of deleted data are dropped. A spool holds records for less time. */
const REMEMBERED_US = 400 * 24 * 3600 * 1e6;

export function rememberedUntil(deletedAt: string): string {
  return formatTimestamp((parseTimestamp(deletedAt) ?? 0) + REMEMBERED_US);
}

export const GROUPED_BY = ['session_id', 'user_id'] as const satisfies readonly TraceGroup['by'][];

/** Includes the kind, because a session and a user may have the same id. */
export function digestGroup({ by, id }: TraceGroup): string {
  return by === 'session_id' ? hashId(id) : `user:${hashId(id)}`;
}

/** The digests of all sessions and users that a batch names, without duplicates. */
export function listDigests({ spans, traces }: Pick<Batch, 'spans' | 'traces'>): string[] {
  const digests = [...spans, ...traces].flatMap((record) =>
    GROUPED_BY.flatMap((by) => {
      const id = record[by];
      return id === undefined ? [] : [digestGroup({ by, id })];
    }),
  );
  return [...new Set(digests)];
}

export function hashId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
