import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { Late } from '../late.js';
import { membersWithout } from '../readers.js';

const CONTENT = new Late(async () => (await import('./content-reader.js')).READERS.generateContent);

const BATCH = new Late(async () => (await import('./batch-reader.js')).BATCH);
const RESULT_FILE = new Late(async () => (await import('./batch-reader.js')).RESULT_FILE);

/**
 * The client of `@google/genai`, for the Gemini API and Vertex AI. Chats and automatic function calling send their requests by the same
 * methods.
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
    {
      path: ['files', 'download'],
      // The target path is not part of the request.
      recordedRequest: ({ file, config }) => withoutTransport({ file, config }),
      abortsOnTimeout: true,
      reader: RESULT_FILE,
    },
  ],
  isClient: ({ models, chats }) =>
    typeof toMembers(models)['generateContent'] === 'function' && hasMembers(chats),
  findProvider: ({ vertexai, apiClient }) => {
    const { httpOptions } = toMembers(toMembers(apiClient)['clientOptions']);
    return findProvider(toMembers(httpOptions)['baseUrl']) ?? (vertexai === true ? 'vertex' : 'google');
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

/** Removes transport settings, which are in the configuration of a request too. */
function withoutTransport(request: Members): Members {
  const { config } = request;
  return hasMembers(config)
    ? { ...request, config: membersWithout(config, 'abortSignal', 'httpOptions') }
    : request;
}
