import type { Clock } from '../context/clock.js';
import { contextStorage, type ContextFrame, type ExternalSpanIds } from '../context/context-storage.js';
import { currentExternalIds } from '../context/external-context.js';
import { extractTraceParent } from '../context/propagation.js';
import type { Carrier } from '../options/incoming-option.js';
import { ActiveTrace, type TraceRecorder } from './active-trace.js';
import type { IncomingOrigin, IncomingWork } from './incoming-policy.js';
import type { RecordingFrame } from './recording-frame.js';

/**
 * The trace of work that came in with a `traceparent`. The first tracer to open a span in it decides whether it continues the
 * caller's trace. Until then it has no id, and nothing is passed on to other services.
 */
class IncomingTrace extends ActiveTrace {
  /** The caller's span, if its trace is continued. */
  parentId: string | undefined;
  private isDecided = false;

  constructor(private readonly work: IncomingWork) {
    super({ traceId: '', sampled: false });
  }

  override joinedBy(recorder: TraceRecorder, clock: Clock, wallMs?: number, nowMs?: number): void {
    if (!this.isDecided) {
      this.isDecided = true;
      const received = recorder.receive(this.work);
      this.traceId = received.traceId;
      this.sampled = received.sampled;
      this.pending = received.pending;
      this.link = received.link;
      this.parentId = received.parentId;
      this.hasBegun = received.parentId !== undefined;
    }
    super.joinedBy(recorder, clock, wallMs, nowMs);
  }
}

/** The frame of work that came in with a `traceparent`. */
class IncomingFrame implements RecordingFrame {
  readonly span = undefined;
  readonly replay = undefined;
  readonly trace: IncomingTrace;
  readonly within: ContextFrame | undefined = contextStorage.getStore()?.within;
  readonly externalIds: ExternalSpanIds | undefined = currentExternalIds();

  constructor(work: IncomingWork) {
    this.trace = new IncomingTrace(work);
  }

  get parentId(): string | undefined {
    return this.trace.parentId;
  }
}

/** The frame of work that came in with these headers; `undefined` without a valid `traceparent`. */
export function incomingFrame(
  headers: Carrier | undefined,
  origin: IncomingOrigin,
): RecordingFrame | undefined {
  const parent = extractTraceParent(headers);
  if (headers === undefined || parent === undefined) return undefined;
  return new IncomingFrame({ ...origin, headers, parent });
}
