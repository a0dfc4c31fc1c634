import { outgoingFrame } from '../context/propagation.js';
import { currentRecordingFrame } from '../recording/recording-frame.js';
import type { ExternalContext } from '../context/external-context.js';
import { type OtelContext, type OtelContextManager, spanIn, withCurrentSpan } from './otel-types.js';
import { OtelTwin } from './our-spans.js';

/**
 * OpenTelemetry's context, with our open span as the current one if it is nearer than OpenTelemetry's own. The nearest span is determined
 * when OpenTelemetry asks, so that a recorded call enters one context only.
 */
export class BridgedContextManager implements OtelContextManager {
  constructor(
    private readonly manager: OtelContextManager,
    private readonly theirs: ExternalContext,
  ) {}

  active(): OtelContext {
    const context = this.manager.active();
    const frame = outgoingFrame(currentRecordingFrame(this.theirs));
    const twin = frame?.span?.mirrored;
    if (!(twin instanceof OtelTwin)) return context;
    const isNearer = frame?.externalIds?.get(this.theirs) === spanIn(context)?.spanContext().spanId;
    return isNearer ? withCurrentSpan(context, twin.otelSpan) : context;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: OtelContext,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.manager.with(context, fn, thisArg, ...args);
  }

  bind<T>(context: OtelContext, target: T): T {
    return this.manager.bind(context, target);
  }

  enable(): this {
    this.manager.enable();
    return this;
  }

  disable(): this {
    this.manager.disable();
    return this;
  }
}
