import type { RequestKind } from '../clients/call-model.js';
import type { AnswerGatherer, ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { CHAT, ChatGatherer } from '../openai/chat.js';
import { formatPrompt, textOfContent } from '../prompt.js';
import { type Fields, fieldsOf, isFields } from '../readers.js';
import { BEDROCK_METHODS } from './bedrock.js';
import { COHERE_CHAT, OLLAMA_CHAT } from './chat-formats.js';
import { plainRequests } from './plain-requests.js';
import { snakeCased } from './snake-cased.js';

/** The format of OpenAI's chats, in the camel case of generated clients. */
const CAMEL_CHAT: Omit<ModelMethod, 'path'> = {
  prompt: (request) => CHAT.prompt(request),
  answer: (answer) => CHAT.answer(snakeCased(answer)),
  verdict: (answer) => CHAT.verdict?.(snakeCased(answer)),
  gather: () => new ChatGatherer(),
};

/** Mistral's events hold the chunk under `data`. */
class DataGatherer implements AnswerGatherer {
  private readonly chat = new ChatGatherer();

  add(event: unknown): boolean {
    return this.chat.add(fieldsOf(event)['data']);
  }

  answer(): unknown {
    return this.chat.answer();
  }
}

function embeddings(path: readonly string[], of: ModelMethod['answer']): ModelMethod {
  const prompt = ({ inputs, input, texts }: Fields): string | undefined => {
    const given = inputs ?? input ?? texts;
    const text = Array.isArray(given) ? given.map(textOfContent).join('\n') : textOfContent(given);
    return text === '' ? undefined : formatPrompt([{ role: 'user', text }]);
  };
  return { path, prompt, answer: of };
}

const at = (path: readonly string[], format: Omit<ModelMethod, 'path'>): ModelMethod => ({ ...format, path });
const isMethod = (value: unknown): boolean => typeof value === 'function';

const MISTRAL_STREAM = { ...CAMEL_CHAT, gather: () => new DataGatherer() };

const MISTRAL: Vendor = {
  name: 'mistral',
  methods: [
    ...['chat', 'fim', 'agents'].flatMap((part) => [
      at([part, 'complete'], CAMEL_CHAT),
      at([part, 'stream'], MISTRAL_STREAM),
    ]),
    embeddings(['embeddings', 'create'], CAMEL_CHAT.answer),
  ],
  isClient: ({ chat, fim }) => isMethod(fieldsOf(chat)['complete']) && isFields(fim),
  findProvider: ({ _baseURL: address }) => findProvider(address) ?? 'mistral',
};

const OPENROUTER: Vendor = {
  name: 'openrouter',
  methods: [at(['chat', 'send'], { ...CAMEL_CHAT, body: ({ chatRequest }) => fieldsOf(chatRequest) })],
  isClient: ({ chat, models }) => isMethod(fieldsOf(chat)['send']) && isFields(models),
  findProvider: ({ _baseURL: address }) => findProvider(address) ?? 'openrouter',
};

const COHERE: Vendor = {
  name: 'cohere',
  methods: [[], ['v2']].flatMap((part) => [
    at([...part, 'chat'], COHERE_CHAT),
    at([...part, 'chatStream'], COHERE_CHAT),
    embeddings([...part, 'embed'], COHERE_CHAT.answer),
  ]),
  isClient: ({ chat, chatStream, rerank }) => isMethod(chat) && isMethod(chatStream) && isMethod(rerank),
  findProvider: ({ _options: options }) => {
    const { environment, baseUrl } = fieldsOf(options);
    return findProvider(baseUrl ?? environment) ?? 'cohere';
  },
};

const OLLAMA: Vendor = {
  name: 'ollama',
  methods: [
    at(['chat'], OLLAMA_CHAT),
    at(['generate'], OLLAMA_CHAT),
    embeddings(['embed'], OLLAMA_CHAT.answer),
  ],
  isClient: ({ chat, generate, pull, config }) =>
    isMethod(chat) && isMethod(generate) && isMethod(pull) && isFields(config),
  findProvider: ({ config }) => findProvider(fieldsOf(config)['host']) ?? 'ollama',
};

const BEDROCK: Vendor = {
  name: 'bedrock',
  methods: BEDROCK_METHODS,
  isClient: ({ send, config, middlewareStack }) =>
    isMethod(send) && isFields(middlewareStack) && fieldsOf(config)['serviceId'] === 'Bedrock Runtime',
  findProvider: () => 'bedrock',
};

/** Clients that only send a request and read its answer: one row for each client, one reader for each answer format. */
export const THIN_CLIENTS: readonly (readonly [Vendor, RequestKind])[] = [
  [MISTRAL, plainRequests({ name: '@mistralai/mistralai', errors: './models/errors' })],
  [OPENROUTER, plainRequests({ name: '@openrouter/sdk', errors: './models/errors' })],
  [COHERE, plainRequests({ name: 'cohere-ai' })],
  [OLLAMA, plainRequests({ name: 'ollama' })],
  [BEDROCK, plainRequests({ name: '@aws-sdk/client-bedrock-runtime' })],
];
