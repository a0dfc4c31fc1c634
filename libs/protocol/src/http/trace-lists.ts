import type { Page, TraceSummary } from './bodies.js';

/** Amounts of a trace by which lists are filtered and sorted: names of fields of `TraceSummary`. */
export const TRACE_AMOUNTS = ['duration_ms', 'tokens', 'cost_usd'] as const;
export type TraceAmount = (typeof TRACE_AMOUNTS)[number];

/** The newest first, or the greatest first; where they do not tell the amount, last. */
export const TRACE_SORTS = ['time', ...TRACE_AMOUNTS] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];

export interface TracePage extends Page<TraceSummary> {
  /** Where a text was asked for: what was received from then on may be missing, for some seconds. Absent: nothing is. */
  text_indexed_until?: string;
}
