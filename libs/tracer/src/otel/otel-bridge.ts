import { addExternalContext, removeExternalContext } from '../context/external-context.js';
import type { Recorder } from '../recording/recorder.js';
import { spanMirror } from '../recording/span-mirror.js';
import { BridgedContextManager } from './context-manager.js';
import type {
  OtelContext,
  OtelContextManager,
  OtelReadableSpan,
  OtelSpanProcessor,
  OtelTracerProvider,
} from './otel-types.js';
import { OurSpans } from './our-spans.js';
import { TheirSpans } from './their-spans.js';

/** Connects a tracer to the OpenTelemetry SDK of the process. */
export interface OpenTelemetryBridge {
  /** For the SDK's `spanProcessors`. Records OpenTelemetry spans with AI content below the span that is open around them. */
  readonly spanProcessor: OtelSpanProcessor;
  /**
   * For the SDK's `contextManager`. Recorded calls nest in OpenTelemetry spans, and with {@link OpenTelemetryBridge.exportTo} OpenTelemetry
   * spans nest in recorded calls. The manager otherwise works as before.
   */
  wrapContextManager(manager: OtelContextManager): OtelContextManager;
  /**
   * Opens an OpenTelemetry span for each recorded call from now on, with the same ids and the masked content. Replays open none.
   * Requires the wrapped context manager.
   */
  exportTo(provider: OtelTracerProvider): void;
  /** Disconnects both sides, which keep working. The shutdown of the SDK does this too. */
  disconnect(): void;
}

/** What the application provides. */
export interface BridgeOptions {
  /** Finds the recorder of OpenTelemetry spans; `undefined` while there is no tracer. */
  readonly findRecorder: () => Recorder | undefined;
  readonly isKept: (span: OtelReadableSpan) => boolean;
}

export class Bridge implements OpenTelemetryBridge {
  readonly spanProcessor: OtelSpanProcessor;
  ours: OurSpans | undefined;
  private readonly theirs = new TheirSpans(this);
  private manager: OtelContextManager | undefined;
  private bridged: BridgedContextManager | undefined;

  constructor(private readonly options: BridgeOptions) {
    const { theirs } = this;
    this.spanProcessor = {
      onStart: (span, parentContext) => {
        theirs.started(span, parentContext);
      },
      onEnd: (span) => {
        theirs.ended(span);
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => {
        this.disconnect();
        return Promise.resolve();
      },
    };
  }

  wrapContextManager(manager: OtelContextManager): OtelContextManager {
    this.manager = manager;
    addExternalContext(this.theirs);
    this.bridged = new BridgedContextManager(manager, this.theirs);
    return this.bridged;
  }

  exportTo(provider: OtelTracerProvider): void {
    this.ours = new OurSpans(provider, {
      context: () => this.bridged?.active(),
      claimTraceId: (span) => this.theirs.claimTraceId(span),
    });
    spanMirror.current = this.ours;
  }

  context(): OtelContext | undefined {
    return this.manager?.active();
  }

  findRecorder(): Recorder | undefined {
    return this.options.findRecorder();
  }

  isKept(span: OtelReadableSpan): boolean {
    return this.options.isKept(span);
  }

  disconnect(): void {
    removeExternalContext(this.theirs);
    if (spanMirror.current === this.ours) spanMirror.current = undefined;
  }
}
