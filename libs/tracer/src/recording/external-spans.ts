import { fromW3cTraceId, isTraceId } from '@dacapo/protocol';
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
  /** Absent: the outermost span that the library has. */
  readonly parentId: string | undefined;
  readonly definition: SpanDefinitionOptions;
  /** Its own time of start, in milliseconds since the epoch; absent: now. */
  readonly startedAtMs: number | undefined;
  /** What is known already; written now, before it can change. */
  readonly attributes?: ExternalAttributes | undefined;
}

/** Tells the library's current span, by its ids; absent ids: nothing of it is open. */
export type CurrentExternalSpan = () => { traceId: string; id: string | undefined } | undefined;

/**
 * Brings the spans of one other library into our traces: the one way in for every adapter.
 *
 * An external span is a child of the open span of ours when that was opened inside its external parent, else of the
 * external parent; a span of ours is a child of the external span that is nearer than its own parent. Ids are derived,
 * so events may come in any order: an end before its start, a trace's end before its spans' ends.
 */
export class ExternalSpans implements ExternalContext {
  private readonly traces = new ExternalTraces();

  constructor(
    private readonly recorder: Recorder,
    private readonly current: CurrentExternalSpan,
  ) {}

  /** The trace of ours that an external trace is part of; a new one if it starts outside any span. */
  openTrace(externalTraceId: string): ActiveTrace {
    return this.joinTrace(externalTraceId).trace;
  }

  /** No more than a hint: spans of the trace may still start and end. */
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
      startedMs: Math.max(this.monotonicMs(start.startedAtMs, external.trace), parent.startedMs),
      externalIds: this.idsAround(start.parentId),
    });
    external.open.set(start.id, span);
    if (start.attributes !== undefined) setAttributes(span, start.attributes);
    return span;
  }

  /** Ends a span; one that was not seen to start is brought in whole. `endedAtMs` absent: now. */
  end(start: ExternalSpanStart, endedAtMs: number | undefined, read: () => ExternalOutcome): void {
    const external = this.joinTrace(start.traceId);
    const span = external.open.get(start.id) ?? this.start(start);
    if (span === undefined) return;
    external.open.delete(start.id);
    external.ended.add(start.id);
    span.endedMs = Math.max(this.monotonicMs(endedAtMs, external.trace), span.startedMs);
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

  /** Code that enters a span is inside it, also while the library shows the span around it: in a model, LangGraph shows the node. */
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

  /**
   * Within a trace all times are on one clock. Where the event came at once, our clock tells more than milliseconds. A library that
   * runs in a replay may have read the recorded time.
   */
  private monotonicMs(epochMs: number | undefined, trace: ActiveTrace): number {
    const nowMs = this.recorder.nowMs();
    const isRecordedTime = (trace.replayedCalls?.clockOffsetMs(undefined) ?? 0) !== 0;
    if (epochMs === undefined || isRecordedTime) return nowMs;
    const ageMs = trace.epochMs(nowMs) - epochMs;
    return ageMs >= 0 && ageMs < 2 ? nowMs : Math.min(nowMs, nowMs - ageMs);
  }
}

function markParent(frame: RecordingFrame): string | undefined {
  frame.joined?.();
  return frame.parentId;
}

/**
 * The trace id for another library's: the same UUID when it holds one, else one derived from it (RFC 9562 §5.8), so
 * that the same external trace always has the same id here.
 */
export function toTraceId(externalId: string): string {
  const digits = externalId.replace(/^[a-z]+[_-]/i, '').toLowerCase();
  if (isTraceId(digits)) return digits;
  return fromW3cTraceId(digits) ?? derivedUuid(externalId);
}

/** The span id for another library's: it can be told before the span was seen, so the order of events never matters. */
export function toSpanId(externalTraceId: string, externalId: string): string {
  const digits = sha256(`${externalTraceId}/${externalId}`).slice(0, 16);
  return /^0+$/.test(digits) ? '0000000000000001' : digits;
}

function derivedUuid(text: string): string {
  const digits = sha256(text);
  const variant = '89ab'.charAt(parseInt(digits.charAt(16), 16) & 3);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ].join('-');
}
