import { LangfuseSpanProcessor } from '@langfuse/otel';
import { observe } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export function createArm(url) {
  const processor = new LangfuseSpanProcessor({
    publicKey: 'pk-lf-bench',
    secretKey: 'sk-lf-bench',
    baseUrl: url,
  });
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
  return { trace: (key, fn) => observe(fn, { name: key }), finish: () => processor.forceFlush() };
}
