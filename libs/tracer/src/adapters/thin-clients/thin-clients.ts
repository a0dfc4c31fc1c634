import { toMembers, hasMembers } from '@dacapo/protocol';
import type { RequestKind } from '../clients/call-model.js';
import type { Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { Late } from '../late.js';
import { BEDROCK } from './bedrock.js';
import { plainRequests } from './plain-requests.js';

const isMethod = (value: unknown): boolean => typeof value === 'function';

const CHAT = new Late(async () => (await import('./camel-chat.js')).CAMEL_CHAT);
const MISTRAL_STREAM = new Late(async () => (await import('./camel-chat.js')).MISTRAL_STREAM);
const EMBEDDINGS = new Late(async () => (await import('./camel-chat.js')).CAMEL_EMBEDDINGS);
const COHERE_CHAT = new Late(async () => (await import('./chat-formats.js')).COHERE_CHAT);
const COHERE_EMBED = new Late(async () => (await import('./chat-formats.js')).COHERE_EMBED);
const OLLAMA_CHAT = new Late(async () => (await import('./chat-formats.js')).OLLAMA_CHAT);
const OLLAMA_EMBED = new Late(async () => (await import('./chat-formats.js')).OLLAMA_EMBED);

const MISTRAL: Vendor = {
  name: 'mistral',
  methods: [
    ...['chat', 'fim', 'agents'].flatMap((part) => [
      { path: [part, 'complete'], reader: CHAT },
      { path: [part, 'stream'], reader: MISTRAL_STREAM },
    ]),
    { path: ['embeddings', 'create'], reader: EMBEDDINGS },
  ],
  isClient: ({ chat, fim }) => isMethod(toMembers(chat)['complete']) && hasMembers(fim),
  findProvider: ({ _baseURL: address }) => findProvider(address) ?? 'mistral',
};

const OPENROUTER: Vendor = {
  name: 'openrouter',
  methods: [{ path: ['chat', 'send'], reader: CHAT, body: ({ chatRequest }) => toMembers(chatRequest) }],
  isClient: ({ chat, models }) => isMethod(toMembers(chat)['send']) && hasMembers(models),
  findProvider: ({ _baseURL: address }) => findProvider(address) ?? 'openrouter',
};

const COHERE: Vendor = {
  name: 'cohere',
  methods: [[], ['v2']].flatMap((part) => [
    { path: [...part, 'chat'], reader: COHERE_CHAT },
    { path: [...part, 'chatStream'], reader: COHERE_CHAT },
    { path: [...part, 'embed'], reader: COHERE_EMBED },
  ]),
  isClient: ({ chat, chatStream, rerank }) => isMethod(chat) && isMethod(chatStream) && isMethod(rerank),
  findProvider: ({ _options: options }) => {
    const { environment, baseUrl } = toMembers(options);
    return findProvider(baseUrl ?? environment) ?? 'cohere';
  },
};

const OLLAMA: Vendor = {
  name: 'ollama',
  methods: [
    { path: ['chat'], reader: OLLAMA_CHAT },
    { path: ['generate'], reader: OLLAMA_CHAT },
    { path: ['embed'], reader: OLLAMA_EMBED },
  ],
  isClient: ({ chat, generate, pull, config }) =>
    isMethod(chat) && isMethod(generate) && isMethod(pull) && hasMembers(config),
  findProvider: ({ config }) => findProvider(toMembers(config)['host']) ?? 'ollama',
};

/** Clients that only send a request and read its answer: one row for each client, one reader for each answer format. */
export const THIN_CLIENTS: readonly (readonly [Vendor, RequestKind])[] = [
  [MISTRAL, plainRequests({ name: '@mistralai/mistralai', errors: './models/errors' })],
  [OPENROUTER, plainRequests({ name: '@openrouter/sdk', errors: './models/errors' })],
  [COHERE, plainRequests({ name: 'cohere-ai' })],
  [OLLAMA, plainRequests({ name: 'ollama' })],
  [BEDROCK, plainRequests({ name: '@aws-sdk/client-bedrock-runtime' })],
];
