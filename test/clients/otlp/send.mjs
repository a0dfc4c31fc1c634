/**
 * Runs one conversation with a model that calls a tool, recorded by a third-party instrumentation, and sends its spans by OTLP.
 *
 *   node send.mjs <sender> <address of the collector> <key> <address of a model server>
 */
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const [, , sender, collectorUrl, apiKey, modelUrl] = process.argv;

function startProvider(Exporter) {
  const exporter = new Exporter({
    url: `${collectorUrl}/v1/traces`,
    headers: { authorization: `Bearer ${apiKey}` },
    compression: 'gzip',
  });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  return provider;
}

const TRACK = {
  type: 'function',
  function: {
    name: 'track',
    description: 'Where a parcel is',
    parameters: { type: 'object', properties: { id: { type: 'number' } } },
  },
};

/** Two requests to the model, with a call of a tool in between. */
async function talk(OpenAI) {
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: `${modelUrl}/v1` });
  const messages = [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'Where is parcel 7?' },
  ];
  const ask = () =>
    client.chat.completions.create({ model: 'gpt-4o', temperature: 0.5, messages, tools: [TRACK] });
  const first = await ask();
  const [{ message }] = first.choices;
  messages.push(message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'Berlin' });
  await ask();
}

async function withRoot(run) {
  await trace
    .getTracer('app')
    .startActiveSpan('answer', { attributes: { 'dacapo.key': 'answer' } }, async (span) => {
      try {
        await run();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
        throw error;
      } finally {
        span.end();
      }
    });
}

const SENDERS = {
  async openinference() {
    const provider = startProvider(ProtoExporter);
    const { OpenAIInstrumentation } = require('@arizeai/openinference-instrumentation-openai');
    const OpenAI = require('openai');
    const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider });
    instrumentation.manuallyInstrument(OpenAI.OpenAI ?? OpenAI);
    await withRoot(() => talk(OpenAI.OpenAI ?? OpenAI));
    return provider;
  },
  async openllmetry() {
    const provider = startProvider(ProtoExporter);
    const { OpenAIInstrumentation } = require('@traceloop/instrumentation-openai');
    const OpenAI = require('openai');
    const instrumentation = new OpenAIInstrumentation({ exceptionLogger: (error) => console.error(error) });
    instrumentation.setTracerProvider(provider);
    instrumentation.manuallyInstrument(OpenAI.OpenAI ?? OpenAI);
    await withRoot(() => talk(OpenAI.OpenAI ?? OpenAI));
    return provider;
  },
  async contrib() {
    const provider = startProvider(JsonExporter);
    const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');
    const instrumentation = new OpenAIInstrumentation({ captureMessageContent: true });
    instrumentation.setTracerProvider(provider);
    instrumentation.enable();
    const { OpenAI } = require('openai');
    await withRoot(() => talk(OpenAI));
    return provider;
  },
  async 'ai-sdk-6'() {
    const provider = startProvider(JsonExporter);
    const ai = await import('ai-v6');
    await generate('@ai-sdk/openai', ai, {
      experimental_telemetry: { isEnabled: true, functionId: 'desk', metadata: { sessionId: 's-1' } },
    });
    return provider;
  },
  async 'ai-sdk-7'() {
    const provider = startProvider(ProtoExporter);
    const ai = await import('ai');
    const { OpenTelemetry } = await import('@ai-sdk/otel');
    ai.registerTelemetry(new OpenTelemetry());
    await generate('@ai-sdk/openai-v4', ai, { telemetry: { functionId: 'desk' } });
    return provider;
  },
};

async function generate(
  provider,
  { generateText, stepCountIs, isStepCount = stepCountIs, jsonSchema, tool },
  options,
) {
  const { createOpenAI } = await import(provider);
  const openai = createOpenAI({ apiKey: 'sk-test', baseURL: `${modelUrl}/v1` });
  await generateText({
    model: openai.chat('gpt-4o'),
    system: 'Be brief',
    prompt: 'Where is parcel 7?',
    temperature: 0.5,
    tools: {
      track: tool({
        description: 'Where a parcel is',
        inputSchema: jsonSchema(TRACK.function.parameters),
        execute: () => 'Berlin',
      }),
    },
    stopWhen: isStepCount(3),
    ...options,
  });
}

const provider = await SENDERS[sender]();
await provider.forceFlush();
await provider.shutdown();
