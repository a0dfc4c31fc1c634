import { embedMany, generateSpeech, transcribe, rerank } from 'ai-v7';
import {
  MockEmbeddingModelV4,
  MockRerankingModelV4,
  MockSpeechModelV4,
  MockTranscriptionModelV4,
} from 'ai-v7/test';
import type { TracerOptions } from '../../../src/options/tracer-options.js';
import { createTestTracer } from '../../../src/testing.js';
import { outline } from '../outline.js';

const response = { timestamp: new Date(0), modelId: 'mock-1', headers: {} };

function underTest(options: TracerOptions = {}) {
  const test = createTestTracer(options);
  return { ...test, telemetry: { integrations: [test.tracer.getAiSdkTelemetry()] } };
}

describe('operations of AI SDK 7 that are no text generation', () => {
  it('records an embedding by the number and length of its vectors, with a model span for each request', async () => {
    const { spans, telemetry } = underTest();
    const model = new MockEmbeddingModelV4({
      maxEmbeddingsPerCall: 1,
      doEmbed: async () => ({ embeddings: [[0.1, 0.2, 0.3]], usage: { tokens: 5 }, warnings: [] }),
    });
    await embedMany({ model, values: ['a', 'b'], telemetry });
    expect(outline(spans)).toEqual(['custom embedMany', '  llm mock-model-id', '  llm mock-model-id']);
    expect(new Set(spans.map(({ kind }) => kind))).toEqual(new Set(['embedding']));
    expect(spans[0]).toMatchObject({
      span_data: {
        input: [['a']],
        output: { vectors: 1, dimensions: 3 },
        usage: { model: 'mock-model-id', provider: 'mock-provider', input_tokens: 5 },
      },
    });
    expect(spans[2]!.span_data).toMatchObject({ input: [['a', 'b']], output: { vectors: 2, dimensions: 3 } });
    expect(spans[2]!.span_data.usage).toBeUndefined();
  });

  it('records a ranking with its documents', async () => {
    const { spans, telemetry } = underTest();
    const ranking = [{ index: 1, relevanceScore: 0.9 }];
    const model = new MockRerankingModelV4({ doRerank: async () => ({ ranking }) });
    await rerank({ model, query: 'talk about rain', documents: ['sun', 'rain'], telemetry });
    expect(outline(spans)).toEqual(['custom rerank', '  llm mock-model-id']);
    expect(spans).toMatchObject([
      { span_data: { input: ['talk about rain', ['sun', 'rain']], output: ranking } },
      {
        span_data: {
          input: ['talk about rain', ['sun', 'rain']],
          output: [{ originalIndex: 1, score: 0.9, document: 'rain' }],
        },
      },
    ]);
  });

  const speak = (telemetry: ReturnType<typeof underTest>['telemetry']) =>
    generateSpeech({
      model: new MockSpeechModelV4({
        doGenerate: async () => ({ audio: new Uint8Array(9), warnings: [], response }),
      }),
      text: 'my secret words',
      voice: 'alto',
      telemetry,
    });

  it('records speech as a request to a model, its sound by size', async () => {
    const { spans, telemetry } = underTest();
    await speak(telemetry);
    expect(spans).toMatchObject([
      {
        type: 'llm',
        span_data: {
          input: ['my secret words', { voice: 'alto' }],
          output: { byteLength: 9 },
          usage: { model: 'mock-model-id', provider: 'mock-provider' },
        },
      },
    ]);
  });

  it('keeps the text of speech out where no input is captured', async () => {
    const { spans, telemetry } = underTest({ capture: { input: false } });
    await speak(telemetry);
    expect(spans).toHaveLength(1);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it('records a transcription as a request to a model', async () => {
    const { spans, telemetry } = underTest();
    const model = new MockTranscriptionModelV4({
      doGenerate: async () => ({
        text: 'hello',
        segments: [],
        language: 'en',
        durationInSeconds: 2,
        warnings: [],
        response,
      }),
    });
    await transcribe({ model: model as never, audio: new Uint8Array(4), telemetry });
    expect(spans).toMatchObject([
      {
        type: 'llm',
        span_data: {
          output: 'hello',
          usage: { model: 'mock-model-id' },
          contexts: [{ language: 'en', durationInSeconds: 2 }],
        },
      },
    ]);
  });
});
