import { toMembers } from '@dacapo/protocol';
import type { Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { Late } from '../late.js';

const MESSAGES = new Late(async () => (await import('./message-reader.js')).MESSAGES);
const BATCH = new Late(async () => (await import('./batch-reader.js')).BATCH);
const BATCH_RESULTS = new Late(async () => (await import('./batch-reader.js')).BATCH_RESULTS);
const COMPLETION = new Late(async () => (await import('./message-reader.js')).COMPLETION);

/** The client of the package `@anthropic-ai/sdk`, and its clients for Bedrock and Vertex. */
export const ANTHROPIC: Vendor = {
  name: 'anthropic',
  methods: [
    ...[[], ['beta']].flatMap((part) => [
      { path: [...part, 'messages', 'create'], reader: MESSAGES },
      { path: [...part, 'messages', 'batches', 'create'], reader: BATCH },
      { path: [...part, 'messages', 'batches', 'retrieve'], reader: BATCH },
      { path: [...part, 'messages', 'batches', 'cancel'], reader: BATCH },
      { path: [...part, 'messages', 'batches', 'results'], reader: BATCH_RESULTS },
    ]),
    { path: ['completions', 'create'], reader: COMPLETION },
  ],
  isClient: ({ messages }) => {
    const { create, stream, countTokens } = toMembers(messages);
    return (
      typeof create === 'function' && (typeof stream === 'function' || typeof countTokens === 'function')
    );
  },
  findProvider: ({ baseURL, awsRegion, projectId }) => {
    const provider = findProvider(baseURL);
    if (provider !== undefined) return provider;
    // Members that only the clients of Bedrock and Vertex have.
    if (typeof awsRegion === 'string') return 'bedrock';
    return typeof projectId === 'string' ? 'vertex' : undefined;
  },
};
