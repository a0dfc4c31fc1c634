import { fromW3cTraceId, isTraceId, uuidFromHash } from '@dacapo/protocol';
import { contextStorage, type ExternalSpanIds } from '../context/context-storage.js';
import {
  addExternalContext,
  currentExternalIds,
  type ExternalContext,
  type ExternalPosition,
  removeExternalContext,
} from '../context/external-context.js';
import { sha256 } from '../hashing.js';
import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';
import {
  endWithOutcome,
  type ExternalAttributes,
  type ExternalOutcome,
  setAttributes,
} from './external-attributes.js';
import { type ExternalTrace, ExternalTraces } from './external-traces.js';
import type { Recorder } from './recorder.js';
import { currentRecordingFrame, type RecordingFrame } from './recording-frame.js';
import { defineSpan, type SpanDefinitionOptions } from './span-definition.js';

/** A span that another library opened. Ids are the library's own. */
export interface ExternalSpanStart {
  readonly traceId: string;
  readonly id: string;
  /** Absent for the library's outermost span. */
  readonly parentId: string | undefined;
  readonly definition: SpanDefinitionOptions;
  /** Start time as reported by the library, in milliseconds since the epoch; absent: now. */
  readonly startedAtMs: number | undefined;
  /** Attributes that are known at the start, captured immediately because they may change later. */
  readonly attributes?: ExternalAttributes | undefined;
}

/** Returns the ids of the library's current span; without ids, the library has no open span. */
export type CurrentExternalSpan = () => { traceId: string; id: string | undefined } | undefined;

/**
 * Adds the spans of another library to our traces. Every adapter uses this class.
 *
 * The parent of an external span is our open span if that was opened inside the external parent, otherwise the external parent. The
 * parent of our span is the external span if that is nearer than our own parent. Ids are derived, so events may come in any order: an
 * end before its start, or a trace's end before the ends of its spans.
 */
export class ExternalSpans implements ExternalContext {
  private readonly traces = new ExternalTraces();

  constructor(
    private readonly recorder: Recorder,
    private readonly current: CurrentExternalSpan,
  ) {}

  /** Returns our trace for an external trace; a new one if it starts outside of any span. */
  openTrace(externalTraceId: string): ActiveTrace {
    return this.joinTrace(externalTraceId).trace;
  }

  /** A hint only: spans of the trace may still start and end. */
  closeTrace(externalTraceId: string): void {
    this.traces.close(externalTraceId);
    if (this.traces.size === 0) removeExternalContext(this);
  }

  start(start: ExternalSpanStart): ActiveSpan | undefined {
    const external = this.joinTrace(start.traceId);
    if (external.open.has(start.id) || external.ended.has(start.id)) return undefined;
    const parent = this.findParent(start, external.trace);
    const span = this.recorder.openExternal({
      definition: defineSpan({ captureInput: (args) => args, ...start.definition }),
      trace: external.trace,
      spanId: toSpanId(start.traceId, start.id),
      parentId: parent.id,
      startedMs: Math.max(toMonotonicMs(this.recorder, start.startedAtMs, external.trace), parent.startedMs),
      externalIds: this.idsAround(start.parentId),
    });
    external.open.set(start.id, span);
    if (start.attributes !== undefined) setAttributes(span, start.attributes);
    return span;
  }

  /** Ends a span. If its start was not reported, it is added now. @param endedAtMs default: now */
  end(start: ExternalSpanStart, endedAtMs: number | undefined, read: () => ExternalOutcome): void {
    const external = this.joinTrace(start.traceId);
    const span = external.open.get(start.id) ?? this.start(start);
    if (span === undefined) return;
    external.open.delete(start.id);
    external.ended.add(start.id);
    span.endedMs = Math.max(toMonotonicMs(this.recorder, endedAtMs, external.trace), span.startedMs);
    endWithOutcome(span, read);
    if (external.closed && external.open.size === 0) this.closeTrace(start.traceId);
  }

  position(): ExternalPosition | undefined {
    const current = this.current();
    const external = current && this.traces.get(current.traceId);
    if (current === undefined || external === undefined) return undefined;
    const span = current.id === undefined ? undefined : external.open.get(current.id);
    return {
      externalId: current.id,
      startedMs: span?.startedMs ?? -Infinity,
      frame: span ?? {
        trace: external.trace,
        parentId: current.id === undefined ? undefined : toSpanId(current.traceId, current.id),
        span: undefined,
        replay: undefined,
      },
    };
  }

  /** Code inside a span counts as inside, even if the library reports an outer span: inside a model, LangGraph reports the node. */
  private idsAround(parentId: string | undefined): ExternalSpanIds | undefined {
    const ids = currentExternalIds();
    return parentId === undefined ? ids : new Map([...(ids ?? []), [this, parentId]]);
  }

  private joinTrace(externalTraceId: string): ExternalTrace {
    addExternalContext(this);
    return this.traces.getOrOpen(externalTraceId, () =>
      this.recorder.join(currentRecordingFrame(this), toTraceId(externalTraceId)),
    );
  }

  private findParent(
    { traceId, parentId }: ExternalSpanStart,
    trace: ActiveTrace,
  ): { id: string | undefined; startedMs: number } {
    const frame = contextStorage.getStore();
    const isInFrame = frame?.externalIds?.get(this) === parentId;
    if (isInFrame || parentId === undefined) {
      const around = currentRecordingFrame(this);
      if (around?.trace === trace)
        return { id: markParent(around), startedMs: around.span?.startedMs ?? -Infinity };
    }
    if (parentId === undefined) return { id: undefined, startedMs: -Infinity };
    const parent = this.traces.get(traceId)?.open.get(parentId);
    if (parent !== undefined) parent.hasChildren = true;
    return { id: toSpanId(traceId, parentId), startedMs: parent?.startedMs ?? -Infinity };
  }
}

/**
 * Converts a library's time to our monotonic clock; absent: now. All times of a trace are on one clock. If the event arrived
 * immediately, our clock is used, because it is more precise than milliseconds. In a replay, the library may have read the recorded
 * time.
 */
export function toMonotonicMs(recorder: Recorder, epochMs: number | undefined, trace: ActiveTrace): number {
  const nowMs = recorder.nowMs();
  const isRecordedTime = (trace.replayedCalls?.clockOffsetMs(undefined) ?? 0) !== 0;
  if (epochMs === undefined || isRecordedTime) return nowMs;
  const ageMs = trace.epochMs(nowMs) - epochMs;
  return ageMs >= 0 && ageMs < 2 ? nowMs : Math.min(nowMs, nowMs - ageMs);
}

function markParent(frame: RecordingFrame): string | undefined {
  frame.joined?.();
  return frame.parentId;
}

/**
 * Returns the trace id for another library's id: the UUID that it contains, otherwise a UUID derived from it (RFC 9562 §5.8). The same
 * external trace always gets the same id.
 */
export function toTraceId(externalId: string): string {
  const digits = externalId.replace(/^[a-z]+[_-]/i, '').toLowerCase();
  if (isTraceId(digits)) return digits;
  return fromW3cTraceId(digits) ?? uuidFromHash(sha256(externalId));
}

/** Derives the span id from another library's id, so that the order of events does not matter. */
export function toSpanId(externalTraceId: string, externalId: string): string {
  const digits = sha256(`${externalTraceId}/${externalId}`).slice(0, 16);
  return /^0+$/.test(digits) ? '0000000000000001' : digits;
}
