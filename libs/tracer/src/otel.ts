/**
 * Connects a tracer to the application's OpenTelemetry SDK, without loading an OpenTelemetry package.
 *
 * @module
 */
import { findTracer } from './find-tracer.js';
import { Bridge, type OpenTelemetryBridge } from './otel/otel-bridge.js';
import type { OtelReadableSpan } from './otel/otel-types.js';
import type { Tracer } from './tracer.js';

export type { OpenTelemetryBridge } from './otel/otel-bridge.js';
export type {
  OtelAttributes,
  OtelAttributeValue,
  OtelContext,
  OtelContextManager,
  OtelReadableSpan,
  OtelScope,
  OtelSpan,
  OtelSpanContext,
  OtelSpanProcessor,
  OtelTime,
  OtelTracerProvider,
} from './otel/otel-types.js';

export interface OpenTelemetryBridgeOptions {
  /** The tracer that records OpenTelemetry spans. Default: the tracer of the open span, or the only tracer of the process. */
  readonly tracer?: Tracer | undefined;
  /** Returns whether to record a span without AI content, such as an HTTP request. Default: no such span is recorded. */
  readonly keep?: ((span: OtelReadableSpan) => boolean) | undefined;
}

/**
 * Connects a tracer to the application's OpenTelemetry SDK. Create one bridge before the SDK starts:
 *
 * ```ts
 * const bridge = bridgeOpenTelemetry();
 * const sdk = new NodeSDK({
 *   contextManager: bridge.wrapContextManager(new AsyncLocalStorageContextManager()),
 *   spanProcessors: [bridge.spanProcessor, new BatchSpanProcessor(exporter)],
 * });
 * sdk.start();
 * bridge.exportTo(trace.getTracerProvider());
 * ```
 *
 * Spans never return to the side that they came from. The bridge patches nothing, loads no OpenTelemetry package, and never throws into
 * the application.
 */
export function bridgeOpenTelemetry({ tracer, keep }: OpenTelemetryBridgeOptions = {}): OpenTelemetryBridge {
  return new Bridge({
    findRecorder: () => (tracer ?? findTracer())?.withRecorder((recorder) => recorder),
    isKept: (span) => keep?.(span) === true,
  });
}
