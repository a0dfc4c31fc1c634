import type { UsageRecord } from '@dacapo/protocol';
import type { AnswerFacts, AnswerGatherer, ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { formatPrompt } from '../prompt.js';
import { count, type Fields, fieldsOf, fieldsWithout, isFields } from '../readers.js';
import { recordedAnswer, revivedAnswer } from './answers.js';
import { messagesOf, textOfContents } from './contents.js';

const CONTENT: Omit<ModelMethod, 'path'> = {
  asked: withoutTransport,
  prompt: (request) => formatPrompt(messagesOf(request)),
  answer: factsOf,
  recorded: recordedAnswer,
  revived: (recorded, first) => revivedAnswer('generateContent', recorded, first),
  gather: () => new ContentGatherer(),
};

/**
 * The client of the package `@google/genai`, of the Gemini API and of Vertex AI. Chats and the calling of functions that it does by
 * itself send their requests by the same methods.
 */
export const GOOGLE: Vendor = {
  name: 'google',
  methods: [
    { ...CONTENT, path: ['models', 'generateContent'], sentBy: 'generateContentInternal' },
    { ...CONTENT, path: ['models', 'generateContentStream'], sentBy: 'generateContentStreamInternal' },
    {
      ...CONTENT,
      path: ['models', 'embedContent'],
      sentBy: 'embedContentInternal',
      revived: (recorded) => revivedAnswer('embedContent', recorded),
    },
    {
      ...CONTENT,
      path: ['models', 'generateImages'],
      sentBy: 'generateImagesInternal',
      prompt: ({ prompt }) => formatPrompt([{ role: 'user', text: String(prompt) }]),
      revived: (recorded) => revivedAnswer('generateImages', recorded),
    },
  ],
  isClient: ({ models, chats }) =>
    typeof fieldsOf(models)['generateContent'] === 'function' && isFields(chats),
  findProvider: ({ vertexai, apiClient }) => {
    const { httpOptions } = fieldsOf(fieldsOf(apiClient)['clientOptions']);
    return findProvider(fieldsOf(httpOptions)['baseUrl']) ?? (vertexai === true ? 'vertex' : 'google');
  },
};

/** How a request travels is in its configuration too. */
function withoutTransport(request: Fields): Fields {
  const { config } = request;
  return isFields(config)
    ? { ...request, config: fieldsWithout(config, 'abortSignal', 'httpOptions') }
    : request;
}

function factsOf(answer: unknown): AnswerFacts {
  const { usageMetadata, modelVersion, responseId, candidates, promptFeedback } = fieldsOf(answer);
  const [first] = Array.isArray(candidates) ? (candidates as unknown[]) : [];
  return {
    usage: usageOf(usageMetadata),
    facts: {
      finishReason: fieldsOf(first)['finishReason'] ?? fieldsOf(promptFeedback)['blockReason'],
      responseModel: modelVersion,
      responseId,
    },
  };
}

/** The vendor counts thoughts apart from the answer; here they are output. */
function usageOf(metadata: unknown): UsageRecord {
  const facts = fieldsOf(metadata);
  const { candidatesTokenCount: answer, thoughtsTokenCount: thoughts } = facts;
  const output =
    typeof answer === 'number' ? answer + (typeof thoughts === 'number' ? thoughts : 0) : thoughts;
  return {
    ...count('input_tokens', facts['promptTokenCount']),
    ...count('output_tokens', output),
    ...count('total_tokens', facts['totalTokenCount']),
    ...count('cached_input_tokens', facts['cachedContentTokenCount']),
    ...count('reasoning_tokens', thoughts),
    ...count('input_audio_tokens', audioOf(facts['promptTokensDetails'])),
    ...count('output_audio_tokens', audioOf(facts['candidatesTokensDetails'])),
  };
}

function audioOf(details: unknown): unknown {
  if (!Array.isArray(details)) return undefined;
  const audio: unknown = details.find((detail) => fieldsOf(detail)['modality'] === 'AUDIO');
  return fieldsOf(audio)['tokenCount'];
}

class ContentGatherer implements AnswerGatherer {
  private content = '';
  private facts: Readonly<Record<string, unknown>> = {};
  private usage: UsageRecord = {};

  add(chunk: unknown): boolean {
    const { candidates } = fieldsOf(chunk);
    const [first] = Array.isArray(candidates) ? (candidates as unknown[]) : [];
    const { usage, facts = {} } = factsOf(chunk);
    this.usage = { ...this.usage, ...usage };
    const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
    this.facts = { ...this.facts, ...Object.fromEntries(known) };
    const text = textOfContents(fieldsOf(first)['content']);
    this.content += text;
    return text !== '';
  }

  told(): AnswerFacts {
    const { usage, facts } = this;
    return { usage, facts, content: { message: { role: 'model', content: this.content } } };
  }
}
