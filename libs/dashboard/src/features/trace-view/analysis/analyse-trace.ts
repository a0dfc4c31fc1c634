import type { SpanSummary, TraceDetail } from '@dacapo/protocol';
import { buildTree, type SpanNode } from '../../../shared/spans/build-tree.js';
import type { UsualDurations } from '../../../shared/usual-duration/compare-with-usual.js';
import { findCriticalPath } from './critical-path.js';
import { firstFailure } from './failures.js';
import { findSlowest } from './find-slowest.js';
import { placeSpans } from './intervals.js';
import { measureSelfTimes } from './self-times.js';
import { takeTurns } from './take-turns.js';
import { buildTimeline, type Timeline } from './timeline.js';
import { type TreeRow, visibleRows } from './visible-rows.js';

export interface TraceAnalysis {
  /** What was analysed. */
  trace: TraceDetail;
  roots: readonly SpanNode[];
  /** All rows of the tree. */
  rows: readonly TreeRow[];
  /** From the first start to the last end. */
  timeline: Timeline;
  /** Milliseconds by span id. */
  selfTimes: ReadonlyMap<string, number>;
  /** Milliseconds that the first root waited for each span itself, by span id. */
  criticalTimes: ReadonlyMap<string, number>;
  usual: UsualDurations;
  /** What explains the trace: where its first error began, else the slowest span compared with its usual duration, else its root. */
  telling: SpanSummary | undefined;
}

/** Analyses a long trace in turns, so that the page stays responsive. */
export async function analyseTrace(trace: TraceDetail): Promise<TraceAnalysis> {
  const { spans, usual_durations: usual = {} } = trace;
  const turn = takeTurns();
  const roots = buildTree(spans);
  await turn();
  const rows = visibleRows(roots);
  await turn();
  const timeline = buildTimeline(spans);
  await turn();
  const intervals = placeSpans(roots, timeline.startUs + timeline.lengthUs);
  await turn();
  const criticalTimes = new Map<string, number>();
  const [root] = roots;
  for (const { spanId, startUs, endUs } of root ? findCriticalPath(root, intervals) : [])
    criticalTimes.set(spanId, (criticalTimes.get(spanId) ?? 0) + (endUs - startUs) / 1000);
  await turn();
  const selfTimes = measureSelfTimes(roots, intervals);
  await turn();
  const telling = firstFailure(rows) ?? findSlowest(roots, usual) ?? root?.span;
  await turn();
  return { trace, roots, rows, timeline, selfTimes, criticalTimes, usual, telling };
}
