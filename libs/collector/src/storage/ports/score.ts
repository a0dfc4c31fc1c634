import type { ScoreRecord } from '@dacapo/protocol';
import type { Position } from './range.js';

/** Selects scores that match all conditions. */
export interface ScoreQuery {
  /** Scores of this trace and its spans. */
  traceId?: string | undefined;
  /** With `traceId`: only scores of this span. */
  spanId?: string | undefined;
  sessionId?: string | undefined;
  testRunId?: string | undefined;
  /** With `testRunId`: only scores of this item. */
  itemNo?: number | undefined;
  name?: string | undefined;
  /** Name of the author. */
  author?: string | undefined;
  /** Lists all scores. Default: only the latest for each target, name and author. */
  history?: boolean | undefined;
}

/**
 * A filter on scores with this name by any author. Bounds exclude values that are not numbers; true
 * is 1, false is 0. `null` (does not apply) never matches.
 */
export interface ScoreFilter {
  name: string;
  /** One of these values with its type: a number does not equal a text, and `true` is not 1. */
  is?: readonly ScoreRecord['value'][];
  /** Less than this. */
  below?: number;
  /** More than this. */
  above?: number;
}

/** The target of a score, as stored. */
export interface ScoreKey {
  target: 'trace' | 'session' | 'item';
  /** Id of the trace, the session or the test run. */
  targetId: string;
  /** Id of the span, or `item_no/repetition`; empty for a whole trace, session or run. */
  part: string;
}

export function toScoreKey(score: ScoreRecord): ScoreKey {
  const { trace_id: traceId, span_id: part = '', session_id: sessionId, test_run_id: runId = '' } = score;
  if (traceId !== undefined) return { target: 'trace', targetId: traceId, part };
  if (sessionId !== undefined) return { target: 'session', targetId: sessionId, part: '' };
  return { target: 'item', targetId: runId, part: `${score.item_no ?? 0}/${score.repetition ?? 0}` };
}

/** @returns a number; 1 or 0 for a boolean; `undefined` for a text and for a score that does not apply */
export function scoreAmount({ value }: Pick<ScoreRecord, 'value'>): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : undefined;
}

export interface ScoreList {
  scores: ScoreRecord[];
  /** See `TraceList`. */
  lookedUntil?: Position;
}

export interface ScoresOfTraces {
  /** The deletion whose counts grow; see `CopyStore.counts`. */
  deletionId?: string;
  /** Late records of the traces are dropped until then. */
  forgetAt: string;
}
