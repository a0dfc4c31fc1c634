/** OpenTelemetry set up as in its guide: batch processor, OTLP over HTTP. It has no wrapper, so input and output are JSON attributes. */
import { trace as api } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export function createArm(url) {
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }));
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  provider.register();
  const tracer = api.getTracer('bench');
  const trace =
    (key, fn) =>
    (...args) =>
      tracer.startActiveSpan(key, { attributes: { input: JSON.stringify(args) } }, async (span) => {
        try {
          const output = await fn(...args);
          span.setAttribute('output', JSON.stringify(output));
          return output;
        } finally {
          span.end();
        }
      });
  return { trace, finish: () => provider.forceFlush() };
}
