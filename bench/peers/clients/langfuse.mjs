import { observeOpenAI } from '@langfuse/openai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export function wrapWith(url) {
  const processor = new LangfuseSpanProcessor({
    publicKey: 'pk-lf-bench',
    secretKey: 'sk-lf-bench',
    baseUrl: url,
  });
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
  return { wrap: (client) => observeOpenAI(client), finish: () => processor.forceFlush() };
}
