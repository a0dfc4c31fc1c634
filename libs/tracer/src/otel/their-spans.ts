import { fromW3cTraceId, type SpanRecord } from '@dacapo/protocol';
import { isInReplay } from '../context/context-storage.js';
import {
  currentExternalIds,
  type ExternalContext,
  type ExternalPosition,
} from '../context/external-context.js';
import type { ActiveSpan } from '../recording/active-span.js';
import type { ActiveTrace } from '../recording/active-trace.js';
import { endWithOutcome } from '../recording/external-attributes.js';
import { toMonotonicMs } from '../recording/external-spans.js';
import { incomingFrame } from '../recording/incoming-trace.js';
import type { Recorder } from '../recording/recorder.js';
import { adoptsNothing, currentRecordingFrame, type RecordingFrame } from '../recording/recording-frame.js';
import { defineSpan, type SpanDefinition } from '../recording/span-definition.js';
import {
  type OtelContext,
  type OtelReadableSpan,
  type OtelSpanContext,
  type OtelTime,
  OUR_SCOPE,
  scopeOf,
  spanIn,
} from './otel-types.js';
import type { OurSpans } from './our-spans.js';
import { noteTrace, readOtelSpan, toOutcome } from './read-otel-span.js';

/** The parts of the bridge that OpenTelemetry spans need. */
export interface BridgeParts {
  /** Finds the recorder; `undefined` while there is no tracer. */
  findRecorder(): Recorder | undefined;
  /** Whether to record a span without AI content. */
  isKept(span: OtelReadableSpan): boolean;
  /** The OpenTelemetry spans that accompany ours. */
  readonly ours: OurSpans | undefined;
  /** OpenTelemetry's context of the running code; `undefined` without a context manager. */
  context(): OtelContext | undefined;
}

/**
 * Records OpenTelemetry spans in our traces. A span with AI content keeps its id and attaches to the nearest recorded span around it. For
 * other spans, only their position is kept, so that spans inside find theirs.
 */
export class TheirSpans implements ExternalContext {
  private readonly spans = new WeakMap<object, TheirSpan>();

  constructor(private readonly parts: BridgeParts) {}

  started(span: OtelReadableSpan, parentContext: OtelContext): void {
    if (scopeOf(span)?.name === OUR_SCOPE) return;
    const recorder = this.parts.findRecorder();
    recorder?.guard('starting a span of OpenTelemetry', () => {
      const theirs = new TheirSpan(recorder, span, this.findPlace(recorder, span, parentContext));
      this.spans.set(span, theirs);
      const record = readOtelSpan(span, () => false);
      if (record !== undefined && !isSameRequest(theirs, record)) this.open(theirs, record);
    });
  }

  /** Also records spans that end after their trace. */
  ended(span: OtelReadableSpan): void {
    const theirs = this.spans.get(span);
    theirs?.recorder.guard('ending a span of OpenTelemetry', () => {
      const isKept = (): boolean => theirs.active !== undefined || this.parts.isKept(span);
      const record = readOtelSpan(span, isKept);
      if (record === undefined || (isSameRequest(theirs, record) && !isKept())) return;
      const active = theirs.active ?? this.open(theirs, record);
      if (active.isOver) return;
      active.redefine(defineTheirSpan(record));
      if (record.level !== undefined) active.setLevel(record.level);
      noteTrace(active.trace, record);
      active.endedMs = Math.max(
        toMonotonicMs(theirs.recorder, toEpochMs(span.endTime), active.trace),
        active.startedMs,
      );
      endWithOutcome(active, () => toOutcome(record));
    });
  }

  position(): ExternalPosition | undefined {
    const context = this.parts.context();
    const span = context && spanIn(context);
    if (span === undefined) return undefined;
    const externalId = span.spanContext().spanId;
    const ours = this.parts.ours?.find(span);
    if (ours?.isOver === false) return { externalId, startedMs: ours.startedMs, frame: ours };
    const theirs = this.spans.get(span);
    return { externalId, startedMs: theirs?.startedMs ?? -Infinity, frame: theirs?.frame };
  }

  /** The id of a span's trace for one of our traces, if it started in this process. Returns it once. */
  claimTraceId(span: object): string | undefined {
    const root = this.spans.get(span)?.root;
    return root instanceof TheirTrace ? root.claim() : undefined;
  }

  private open(theirs: TheirSpan, record: SpanRecord): ActiveSpan {
    const { ours } = this.parts;
    if (ours !== undefined) ours.isPaused = true;
    try {
      return theirs.open(defineTheirSpan(record));
    } finally {
      if (ours !== undefined) ours.isPaused = false;
    }
  }

  private findPlace(recorder: Recorder, span: OtelReadableSpan, context: OtelContext): Place {
    const parent = spanIn(context);
    const ours = parent && this.parts.ours?.find(parent);
    if (ours !== undefined) return { frame: ours, root: ours };
    const frame = currentRecordingFrame(this);
    const isNearer =
      frame !== undefined &&
      (isInReplay(frame) || frame.externalIds?.get(this) === parent?.spanContext().spanId);
    if (isNearer) return { frame, root: frame };
    const around = parent && this.spans.get(parent);
    if (around !== undefined) return around;
    const root = startTrace(recorder, span.spanContext().traceId, parent?.spanContext());
    return { frame: root, root };
  }
}

/** The surroundings of a span. */
interface Place {
  /** The frame of the nearest recorded span. */
  readonly frame: RecordingFrame;
  /** The outermost frame of the trace in this process. */
  readonly root: RecordingFrame;
}

class TheirSpan implements Place {
  /** The recorded span, if there is one. */
  active: ActiveSpan | undefined;
  readonly startedMs: number;

  constructor(
    readonly recorder: Recorder,
    private readonly span: OtelReadableSpan,
    private readonly place: Place,
  ) {
    this.startedMs = recorder.nowMs();
  }

  get frame(): RecordingFrame {
    return this.active ?? this.place.frame;
  }

  get root(): RecordingFrame {
    return this.place.root;
  }

  open(definition: SpanDefinition): ActiveSpan {
    const { recorder, span } = this;
    const { frame } = this.place;
    const isOver = adoptsNothing(frame);
    const trace = recorder.join(frame);
    if (!isOver) frame.joined?.();
    const startedMs = toMonotonicMs(recorder, toEpochMs(span.startTime), trace);
    this.active = recorder.openExternal({
      definition,
      trace,
      spanId: span.spanContext().spanId,
      parentId: isOver ? undefined : frame.parentId,
      startedMs: Math.max(startedMs, isOver ? -Infinity : (frame.span?.startedMs ?? -Infinity)),
      externalIds: currentExternalIds(),
      hasRemoteParent: frame.span === undefined && frame.parentId !== undefined,
    });
    return this.active;
  }
}

/** A trace that OpenTelemetry started in this process. Our trace with the same id starts with the first recorded span. */
class TheirTrace implements RecordingFrame {
  readonly parentId = undefined;
  readonly span = undefined;
  readonly replay = undefined;
  /** Answered here, because asking the trace would start it. */
  readonly isInReplay = false;
  private joinedTrace: ActiveTrace | undefined;
  private isClaimed = false;

  constructor(
    private readonly recorder: Recorder,
    private readonly traceId: string | undefined,
  ) {}

  get trace(): ActiveTrace {
    return (this.joinedTrace ??= this.recorder.join(undefined, this.traceId));
  }

  claim(): string | undefined {
    if (this.isClaimed || this.joinedTrace !== undefined) return undefined;
    this.isClaimed = true;
    return this.traceId;
  }
}

/**
 * Links or continues a caller's trace by the option `incoming`, since anyone can send any `traceparent`. A parent that is neither known
 * nor remote was not sampled, and its trace may not have started in this process.
 */
function startTrace(
  recorder: Recorder,
  w3cTraceId: string,
  parent: OtelSpanContext | undefined,
): RecordingFrame {
  if (parent?.isRemote === true) {
    const flags = (parent.traceFlags & 1) === 1 ? '01' : '00';
    const incoming = incomingFrame({ traceparent: `00-${parent.traceId}-${parent.spanId}-${flags}` }, {});
    if (incoming !== undefined) return incoming;
  }
  return new TheirTrace(recorder, parent === undefined ? fromW3cTraceId(w3cTraceId) : undefined);
}

/** Whether an adapter or a wrapped client around a model request records it already. */
function isSameRequest(theirs: TheirSpan, { type }: SpanRecord): boolean {
  return theirs.active === undefined && type === 'llm' && theirs.frame.span?.start.definition.type === 'llm';
}

/** Defines a span that cannot be replayed: its input is a request, not the arguments of a function. */
function defineTheirSpan({ trace_function_key: key, name, type, kind, level }: SpanRecord): SpanDefinition {
  return defineSpan({ key, name, type, kind, level, captureInput: (args) => args });
}

function toEpochMs([seconds, nanos]: OtelTime): number {
  return seconds * 1000 + nanos / 1e6;
}
