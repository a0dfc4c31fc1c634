import { context, trace, type Tracer as OtelTracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  bridgeOpenTelemetry,
  type OpenTelemetryBridge,
  type OpenTelemetryBridgeOptions,
} from '../../src/otel.js';
import type { TracerOptions } from '../../src/options/tracer-options.js';
import { createTestTracer, type TestTracer } from '../../src/testing.js';

export interface Bridged extends TestTracer {
  readonly otel: OtelTracer;
  /** What OpenTelemetry exported, by name. */
  readonly exported: (name: string) => ReadableSpan;
  readonly exportedNames: () => string[];
  readonly shutdown: () => Promise<void>;
}

export interface BridgedOptions {
  readonly tracer?: TracerOptions;
  readonly sampler?: Sampler;
  readonly keep?: OpenTelemetryBridgeOptions['keep'];
  /** Whether our spans become spans of OpenTelemetry. Default: true. */
  readonly exports?: boolean;
  /** Whether theirs become ours. Default: true. */
  readonly imports?: boolean;
}

/** A tracer and an OpenTelemetry SDK, registered for the process, until {@link unbridge}. */
export function bridge({
  tracer: options,
  sampler,
  keep,
  exports = true,
  imports = true,
}: BridgedOptions = {}): Bridged {
  const test = createTestTracer(options);
  const bridged = bridgeOpenTelemetry({ tracer: test.tracer, keep });
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    ...(sampler && { sampler }),
    spanProcessors: [...(imports ? [bridged.spanProcessor] : []), new SimpleSpanProcessor(exporter)],
  });
  context.setGlobalContextManager(bridged.wrapContextManager(new AsyncLocalStorageContextManager()).enable());
  trace.setGlobalTracerProvider(provider);
  if (exports) bridged.exportTo(trace.getTracerProvider());
  current = { provider, bridged };
  return {
    ...test,
    otel: trace.getTracer('application'),
    exported: (name) => {
      const found = exporter.getFinishedSpans().filter((span) => span.name === name);
      if (found.length !== 1) throw new Error(`${found.length} spans ${name} were exported`);
      return found[0]!;
    },
    exportedNames: () =>
      exporter
        .getFinishedSpans()
        .map(({ name }) => name)
        .sort(),
    shutdown: () => provider.shutdown(),
  };
}

let current: { provider: BasicTracerProvider; bridged: OpenTelemetryBridge } | undefined;

export async function unbridge(): Promise<void> {
  await current?.provider.shutdown();
  current?.bridged.disconnect();
  current = undefined;
  context.disable();
  trace.disable();
}

/** Attributes of a request to a model. */
export const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' };
