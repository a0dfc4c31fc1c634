import type { UsageRecord } from '@dacapo/protocol';
import type { AnswerFacts, AnswerGatherer, ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { formatPrompt } from '../prompt.js';
import { count, type Fields, fieldsOf, fieldsWithout, isFields } from '../readers.js';
import { recordedAnswer, revivedAnswer } from './answers.js';
import { messagesOf, textOfContents } from './contents.js';

/** Any other reason cuts the answer short, or blocks the prompt. */
const WELL_ENDED = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED', 'BLOCKED_REASON_UNSPECIFIED']);

const CONTENT: Omit<ModelMethod, 'path'> = {
  asked: withoutTransport,
  prompt: (request) => formatPrompt(messagesOf(request)),
  answer: factsOf,
  verdict: (answer) => {
    const { finishReason } = factsOf(answer).facts ?? {};
    return typeof finishReason !== 'string' || WELL_ENDED.has(finishReason) ? undefined : { level: 'warn' };
  },
  abortsOnTimeout: true,
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

type Gathered = Record<string, unknown>;

/** Puts the parts of each candidate together; of what else the chunks say the last counts. */
class ContentGatherer implements AnswerGatherer {
  private answered: Gathered | undefined;
  private readonly candidates: Gathered[] = [];

  add(chunk: unknown): boolean {
    const { candidates, ...rest } = fieldsOf(chunk);
    Object.assign((this.answered ??= {}), definedOf(rest));
    const given = Array.isArray(candidates) ? (candidates as unknown[]) : [];
    return given.map((candidate) => this.addCandidate(fieldsOf(candidate))).includes(true);
  }

  answer(): unknown {
    const candidates = this.candidates.filter(Boolean);
    return this.answered && { ...this.answered, ...(candidates.length > 0 && { candidates }) };
  }

  private addCandidate({ index, content, ...rest }: Fields): boolean {
    const at = typeof index === 'number' && index >= 0 && index < 128 ? index : 0;
    const candidate = (this.candidates[at] ??= { content: { parts: [], role: 'model' } });
    Object.assign(candidate, definedOf(rest));
    const { parts, role } = fieldsOf(content);
    const gathered = candidate['content'] as { parts: Gathered[]; role: unknown };
    if (role !== undefined) gathered.role = role;
    const added = Array.isArray(parts) ? (parts as unknown[]) : [];
    for (const part of added) addPart(gathered.parts, fieldsOf(part));
    return textOfContents(content) !== '';
  }
}

/** A text continues the text before it, unless one of them is a thought or signed. */
function addPart(parts: Gathered[], part: Fields): void {
  const { text, thought, ...rest } = part;
  const last = parts.at(-1);
  const continues =
    typeof text === 'string' && typeof last?.['text'] === 'string' && last['thought'] === thought;
  if (continues && !('thoughtSignature' in last))
    Object.assign(last, rest, { text: `${last['text'] as string}${text}` });
  else parts.push({ ...part });
}

function definedOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
