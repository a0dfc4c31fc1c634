import type { ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { Late } from '../late.js';
import { type Fields, toFields, fieldsWithout, isFields } from '../readers.js';

const CONTENT = new Late(async () => (await import('./content-reader.js')).READERS.generateContent);

const BATCH = new Late(async () => (await import('./batch-reader.js')).BATCH);

/**
 * The client of the package `@google/genai`, of the Gemini API and of Vertex AI. Chats and the calling of functions that it does by
 * itself send their requests by the same methods.
 */
export const GOOGLE: Vendor = {
  name: 'google',
  methods: [
    defineMethod('generateContent', CONTENT),
    defineMethod('generateContentStream', CONTENT),
    defineMethod(
      'embedContent',
      new Late(async () => (await import('./content-reader.js')).READERS.embedContent),
    ),
    defineMethod(
      'generateImages',
      new Late(async () => (await import('./content-reader.js')).READERS.generateImages),
    ),
    ...['create', 'createEmbeddings', 'get', 'cancel'].map((name): ModelMethod => ({
      path: ['batches', name],
      recordedRequest: withoutTransport,
      abortsOnTimeout: true,
      reader: BATCH,
    })),
  ],
  isClient: ({ models, chats }) =>
    typeof toFields(models)['generateContent'] === 'function' && isFields(chats),
  findProvider: ({ vertexai, apiClient }) => {
    const { httpOptions } = toFields(toFields(apiClient)['clientOptions']);
    return findProvider(toFields(httpOptions)['baseUrl']) ?? (vertexai === true ? 'vertex' : 'google');
  },
};

function defineMethod(name: string, reader: ModelMethod['reader']): ModelMethod {
  return {
    path: ['models', name],
    sentBy: `${name}Internal`,
    recordedRequest: withoutTransport,
    abortsOnTimeout: true,
    reader,
  };
}

/** How a request travels is in its configuration too. */
function withoutTransport(request: Fields): Fields {
  const { config } = request;
  return isFields(config)
    ? { ...request, config: fieldsWithout(config, 'abortSignal', 'httpOptions') }
    : request;
}
