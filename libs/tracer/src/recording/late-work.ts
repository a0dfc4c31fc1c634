import type { ActiveTrace, SpanPosition } from './active-trace.js';
import type { RecordingFrame } from './recording-frame.js';

/** Calls in the context of one trace, after its end, that are reported in development. */
const MANY_LEFT_BEHIND = 20;

/** What a new trace inherits from the ended work in whose context it starts. */
export interface LeftBehind {
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly startedBy: SpanPosition | undefined;
}

/** Calls in a frame that has ended. Each becomes a separate trace that records who started it. */
export class LateWork {
  private hasWarned = false;

  constructor(private readonly warn: (message: string) => void) {}

  /**
   * The trace of the call has the session of the frame only while it is known whose work it is: the request is still open, or `bind`
   * entered the frame again.
   */
  leave(entered: RecordingFrame): LeftBehind {
    const frame = entered.reentered ?? entered;
    frame.joined?.();
    const { trace, parentId, within } = frame;
    const isWorkOpen = within === undefined ? trace?.isOpen === true : within.isOver !== true;
    const isOwn = entered.reentered !== undefined || isWorkOpen;
    if (trace !== undefined && !isOwn) this.warnAboutMany(trace, frame);
    const isRecorded = trace?.sampled === true && parentId !== undefined;
    return {
      sessionId: isOwn ? trace?.session : undefined,
      userId: isOwn ? trace?.user : undefined,
      startedBy: isRecorded ? { traceId: trace.traceId, spanId: parentId } : undefined,
    };
  }

  /** A few calls are work that continues; many may belong to anyone, in a context that a library keeps. Reported once, in development. */
  private warnAboutMany(trace: ActiveTrace, { span }: RecordingFrame): void {
    if (++trace.leftBehind !== MANY_LEFT_BEHIND || this.hasWarned) return;
    this.hasWarned = true;
    if (process.env['NODE_ENV'] === 'production') return;
    this.warn(
      `${MANY_LEFT_BEHIND} calls ran in the context of ${span?.start.definition.name ?? 'a trace'} after it had ended. ` +
        'Each became a separate trace without a session. If they belong to other requests, a library such as a connection ' +
        'or an emitter keeps this context. Pass it callbacks made with bind().',
    );
  }
}
