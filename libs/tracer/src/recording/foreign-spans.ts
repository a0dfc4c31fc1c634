import type { ContextFrame } from '../context/context-frame.js';
import {
  addAmbientSource,
  type AmbientPosition,
  type AmbientSource,
  currentAmbientIds,
  currentFrame,
  removeAmbientSource,
} from '../context/ambient-frames.js';
import { contextStorage } from '../context/context-storage.js';
import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';
import { endWithOutcome, type ForeignFacts, type ForeignOutcome, noteFacts } from './foreign-facts.js';
import { spanIdOf, traceIdOf } from './foreign-ids.js';
import { ForeignTraces, type ForeignTrace } from './foreign-traces.js';
import type { Recorder } from './recorder.js';
import { defineSpan, type SpanDefinitionOptions } from './span-definition.js';

/** A span that another library opened. Ids are the library's own. */
export interface ForeignSpanStart {
  readonly traceId: string;
  readonly id: string;
  /** Absent: the outermost span that the library has. */
  readonly parentId: string | undefined;
  readonly definition: SpanDefinitionOptions;
  /** Its own time of start, in milliseconds since the epoch; absent: now. */
  readonly startedAtMs: number | undefined;
  /** What is known already; written now, before it can change. */
  readonly facts?: ForeignFacts | undefined;
}

/** Tells the library's current span, by its ids; absent ids: nothing of it is open. */
export type CurrentForeignSpan = () => { traceId: string; id: string | undefined } | undefined;

/**
 * Brings the spans of one other library into our traces: the one way in for every adapter.
 *
 * A foreign span stands under the open span of ours when that was opened inside its foreign parent, else under the
 * foreign parent; a span of ours stands under the foreign span that is nearer than its own parent. Ids are derived,
 * so events may come in any order: an end before its start, a trace's end before its spans' ends.
 */
export class ForeignSpans implements AmbientSource {
  private readonly traces = new ForeignTraces();

  constructor(
    private readonly recorder: Recorder,
    private readonly current: CurrentForeignSpan,
  ) {}

  /** The trace of ours that a foreign trace is part of; a new one if it starts outside any span. */
  openTrace(foreignTraceId: string): ActiveTrace {
    return this.traceOf(foreignTraceId).trace;
  }

  /** No more than a hint: spans of the trace may still start and end. */
  closeTrace(foreignTraceId: string): void {
    this.traces.close(foreignTraceId);
    if (this.traces.size === 0) removeAmbientSource(this);
  }

  start(start: ForeignSpanStart): ActiveSpan | undefined {
    const foreign = this.traceOf(start.traceId);
    if (foreign.open.has(start.id) || foreign.ended.has(start.id)) return undefined;
    const parent = this.parentOf(start, foreign.trace);
    const span = this.recorder.openForeign({
      definition: defineSpan({ captureInput: (args) => args, ...start.definition }),
      trace: foreign.trace,
      spanId: spanIdOf(start.traceId, start.id),
      parentId: parent.id,
      startedMs: Math.max(this.monotonicMs(start.startedAtMs, foreign.trace), parent.startedMs),
      ambientIds: currentAmbientIds(),
    });
    foreign.open.set(start.id, span);
    if (start.facts !== undefined) noteFacts(span, start.facts);
    return span;
  }

  /** Ends a span; one that was not seen to start is brought in whole. `endedAtMs` absent: now. */
  end(start: ForeignSpanStart, endedAtMs: number | undefined, read: () => ForeignOutcome): void {
    const foreign = this.traceOf(start.traceId);
    const span = foreign.open.get(start.id) ?? this.start(start);
    if (span === undefined) return;
    foreign.open.delete(start.id);
    foreign.ended.add(start.id);
    span.endedMs = Math.max(this.monotonicMs(endedAtMs, foreign.trace), span.startedMs);
    endWithOutcome(span, read);
    if (foreign.closed && foreign.open.size === 0) this.closeTrace(start.traceId);
  }

  position(): AmbientPosition | undefined {
    const current = this.current();
    const foreign = current && this.traces.get(current.traceId);
    if (current === undefined || foreign === undefined) return undefined;
    const span = current.id === undefined ? undefined : foreign.open.get(current.id);
    return {
      foreignId: current.id,
      startedMs: span?.startedMs ?? -Infinity,
      frame: span ?? {
        trace: foreign.trace,
        parentId: current.id === undefined ? undefined : spanIdOf(current.traceId, current.id),
        span: undefined,
        replay: undefined,
      },
    };
  }

  private traceOf(foreignTraceId: string): ForeignTrace {
    addAmbientSource(this);
    return this.traces.getOrOpen(foreignTraceId, () =>
      this.recorder.join(currentFrame(this), traceIdOf(foreignTraceId)),
    );
  }

  private parentOf(
    { traceId, parentId }: ForeignSpanStart,
    trace: ActiveTrace,
  ): { id: string | undefined; startedMs: number } {
    const frame = contextStorage.getStore();
    const isInFrame = frame?.ambientIds?.get(this) === parentId;
    if (isInFrame || parentId === undefined) {
      const around = currentFrame(this);
      if (around?.trace === trace)
        return { id: markParent(around), startedMs: around.span?.startedMs ?? -Infinity };
    }
    if (parentId === undefined) return { id: undefined, startedMs: -Infinity };
    const parent = this.traces.get(traceId)?.open.get(parentId);
    if (parent !== undefined) parent.hasChildren = true;
    return { id: spanIdOf(traceId, parentId), startedMs: parent?.startedMs ?? -Infinity };
  }

  /** Within a trace all times are on one clock. Where the event came at once, our clock tells more than milliseconds. */
  private monotonicMs(epochMs: number | undefined, trace: ActiveTrace): number {
    const nowMs = this.recorder.nowMs();
    if (epochMs === undefined) return nowMs;
    const ageMs = trace.epochMs(nowMs) - epochMs;
    return ageMs >= 0 && ageMs < 2 ? nowMs : Math.min(nowMs, nowMs - ageMs);
  }
}

function markParent(frame: ContextFrame): string | undefined {
  if (frame.span !== undefined) frame.span.hasChildren = true;
  return frame.parentId;
}
