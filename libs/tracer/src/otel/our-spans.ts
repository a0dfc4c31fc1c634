import { fromW3cTraceId, parseSpanRecord, type SpanStatus } from '@dacapo/protocol';
import { type ByteString, decodeText } from '../byte-string.js';
import type { ActiveSpan } from '../recording/active-span.js';
import type { MirroredSpan, MirroredStart, SpanMirror } from '../recording/span-mirror.js';
import {
  type OtelContext,
  type OtelSpan,
  type OtelTracerProvider,
  OUR_SCOPE,
  spanIn,
  withCurrentSpan,
} from './otel-types.js';
import { writeRecord } from './write-record.js';

/** Most open spans to remember by id. The oldest is forgotten first, since a span may never end. */
const MAX_OPEN = 10_000;
const NO_TRACE = '0'.repeat(32);

/** OpenTelemetry's surroundings of the running code. */
export interface OtelSurroundings {
  /** The context, with the nearest span of either side as the current one; `undefined` without a context manager. */
  context(): OtelContext | undefined;
  /** The id of the trace of `span`, if the trace started in this process and none of our traces has that id. */
  claimTraceId(span: object): string | undefined;
}

/** Opens an OpenTelemetry span with each of our spans, which takes its ids. */
export class OurSpans implements SpanMirror {
  /** Set while a span from OpenTelemetry opens, which must not return to it. */
  isPaused = false;
  private readonly openById = new Map<string, OtelTwin>();
  private readonly twins = new WeakMap<object, OtelTwin>();
  private readonly tracer;

  constructor(
    provider: OtelTracerProvider,
    private readonly around: OtelSurroundings,
  ) {
    this.tracer = provider.getTracer(OUR_SCOPE);
  }

  open({ definition, parentId, startedAtMs }: MirroredStart): MirroredSpan | undefined {
    const context = this.isPaused ? undefined : this.around.context();
    if (context === undefined) return undefined;
    const parent = parentId === undefined ? undefined : this.openById.get(parentId);
    const here = parent === undefined ? context : withCurrentSpan(context, parent.otelSpan);
    const attributes = { 'dacapo.key': definition.key, 'dacapo.type': definition.type };
    const otelSpan = this.tracer.startSpan(definition.name, { startTime: startedAtMs, attributes }, here);
    const { traceId, spanId } = otelSpan.spanContext();
    // No SDK is registered, or the application suppressed tracing here.
    if (traceId === NO_TRACE) return undefined;
    const outer = spanIn(here);
    const newTraceId = outer === undefined ? fromW3cTraceId(traceId) : this.around.claimTraceId(outer);
    return new OtelTwin(this, { otelSpan, spanId, newTraceId, startedAtMs });
  }

  /** Finds our open span that an OpenTelemetry span accompanies. */
  find(otelSpan: object): ActiveSpan | undefined {
    return this.twins.get(otelSpan)?.ours;
  }

  opened(twin: OtelTwin, id: string): void {
    this.twins.set(twin.otelSpan, twin);
    this.openById.set(id, twin);
    const [oldest] = this.openById.keys();
    if (this.openById.size > MAX_OPEN && oldest !== undefined) this.openById.delete(oldest);
  }

  closed(id: string): void {
    this.openById.delete(id);
  }
}

interface TwinStart {
  readonly otelSpan: OtelSpan;
  readonly spanId: string;
  readonly newTraceId: string | undefined;
  readonly startedAtMs: number;
}

/** An OpenTelemetry span that accompanies one of ours. */
export class OtelTwin implements MirroredSpan {
  readonly otelSpan: OtelSpan;
  readonly spanId: string;
  readonly newTraceId: string | undefined;
  ours: ActiveSpan | undefined;
  private isEnded = false;

  constructor(
    private readonly spans: OurSpans,
    private readonly start: TwinStart,
  ) {
    ({ otelSpan: this.otelSpan, spanId: this.spanId, newTraceId: this.newTraceId } = start);
  }

  accompany(span: ActiveSpan): void {
    span.mirrored = this;
    this.ours = span;
    this.spans.opened(this, span.spanId);
  }

  /** Passes on only the content of the record, which is masked. */
  written(line: ByteString, status: SpanStatus): void {
    if (this.isEnded || !this.otelSpan.isRecording()) return;
    const { span } = JSON.parse(decodeText(line)) as { span: unknown };
    const record = parseSpanRecord(span);
    writeRecord(this.otelSpan, record);
    if (status !== 'unfinished') this.end(this.start.startedAtMs + (record.duration_ms ?? 0));
  }

  closed(): void {
    if (this.ours !== undefined) this.spans.closed(this.ours.spanId);
    this.end();
  }

  private end(endedAtMs?: number): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.otelSpan.end(endedAtMs);
  }
}
