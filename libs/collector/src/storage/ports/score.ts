import type { ScoreRecord } from '@dacapo/protocol';
import type { Position } from './range.js';

/** Which scores. Conditions hold together. */
export interface ScoreQuery {
  /** Of this trace and its spans. */
  traceId?: string | undefined;
  /** Beside `traceId`: of this span of it alone. */
  spanId?: string | undefined;
  sessionId?: string | undefined;
  testRunId?: string | undefined;
  /** Beside `testRunId`. */
  itemNo?: number | undefined;
  name?: string | undefined;
  /** The name of their author. */
  author?: string | undefined;
  /** All that were ever given. Else of each target, name and author the latest, which counts. */
  history?: boolean | undefined;
}

/**
 * What a list is filtered by: whether a score of this name counts by any author. Bounds leave out what is no number; true
 * is 1, false is 0. `null`, which says that it does not apply, is no score here.
 */
export interface ScoreFilter {
  name: string;
  /** One of these values, of its type: a number is no text, and `true` is not 1. */
  is?: readonly ScoreRecord['value'][];
  /** Less than this. */
  below?: number;
  /** More than this. */
  above?: number;
}

/** What a score belongs to, as a store finds it again. */
export interface ScoreKey {
  target: 'trace' | 'session' | 'item';
  /** Of the trace, the session, or the test run. */
  targetId: string;
  /** The span's id, or `item_no/repetition`; empty where the target is a whole. */
  part: string;
}

export function scoreKeyOf(score: ScoreRecord): ScoreKey {
  const { trace_id: traceId, span_id: part = '', session_id: sessionId, test_run_id: runId = '' } = score;
  if (traceId !== undefined) return { target: 'trace', targetId: traceId, part };
  if (sessionId !== undefined) return { target: 'session', targetId: sessionId, part: '' };
  return { target: 'item', targetId: runId, part: `${score.item_no ?? 0}/${score.repetition ?? 0}` };
}

/** A score's value as a number: a boolean is 1 or 0; text, and what does not apply, is none. */
export function amountOf({ value }: Pick<ScoreRecord, 'value'>): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : undefined;
}

export function fulfils(
  score: Pick<ScoreRecord, 'name' | 'value'>,
  { name, is, below, above }: ScoreFilter,
): boolean {
  const amount = amountOf(score);
  return (
    score.name === name &&
    score.value !== null &&
    (is === undefined || is.includes(score.value)) &&
    (below === undefined || (amount !== undefined && amount < below)) &&
    (above === undefined || (amount !== undefined && amount > above))
  );
}

export interface ScoreList {
  scores: ScoreRecord[];
  /** As of a `TraceList`. */
  lookedUntil?: Position;
}

export interface ScoresOfTraces {
  /** Under which the store counts what it deletes; see `CopyStore.counts`. */
  deletionId?: string;
  /** Until when what comes of the traces is dropped. */
  forgetAt: string;
}
