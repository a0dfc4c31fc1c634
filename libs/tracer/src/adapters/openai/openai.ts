import { toMembers } from '@dacapo/protocol';
import type { ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { Late } from '../late.js';

const BATCH = new Late(async () => (await import('./batches.js')).BATCH);
const CHAT = new Late(async () => (await import('./chat.js')).CHAT);
const COMPLETION = new Late(async () => (await import('./chat.js')).COMPLETION);
const RESPONSES = new Late(async () => (await import('./responses.js')).RESPONSES);
const RETRIEVED = new Late(async () => (await import('./responses.js')).RETRIEVED);
const CONTENTS = new Late(async () => (await import('../clients/file-contents.js')).recordContents);
const FILE_CONTENT = new Late(async () => (await import('./response-readers.js')).FILE_CONTENT);
const SPEECH = new Late(async () => (await import('./response-readers.js')).SPEECH);

/** The client of the package `openai`, its `AzureOpenAI`, and other clients with the same methods. */
export const OPENAI: Vendor = {
  name: 'openai',
  methods: [
    { path: ['chat', 'completions', 'create'], reader: CHAT },
    { path: ['completions', 'create'], reader: COMPLETION },
    ...[[], ['beta']].flatMap((part) => [
      { path: [...part, 'responses', 'create'], reader: RESPONSES },
      { path: [...part, 'responses', 'compact'], reader: RESPONSES },
    ]),
    { path: ['responses', 'retrieve'], reader: RETRIEVED },
    { path: ['responses', 'cancel'], reader: RETRIEVED },
    { path: ['batches', 'create'], reader: BATCH },
    { path: ['batches', 'retrieve'], reader: BATCH },
    { path: ['batches', 'cancel'], reader: BATCH },
    { path: ['files', 'content'], reader: FILE_CONTENT },
    singleText('input', 'embeddings', 'create'),
    singleText('input', 'moderations', 'create'),
    singleText('prompt', 'images', 'generate'),
    withFiles(singleText('prompt', 'images', 'edit')),
    withFiles(singleText('prompt', 'images', 'createVariation')),
    { path: ['audio', 'speech', 'create'], reader: SPEECH },
    withFiles(singleText('prompt', 'audio', 'transcriptions', 'create')),
    withFiles(singleText('prompt', 'audio', 'translations', 'create')),
  ],
  isClient: ({ chat, embeddings, models }) =>
    typeof toMembers(toMembers(chat)['completions'])['create'] === 'function' &&
    (embeddings !== undefined || models !== undefined),
  // Only Azure's client has an API version. Other clients of this shape may use any provider.
  findProvider: ({ baseURL, apiVersion }) =>
    findProvider(baseURL) ?? (typeof apiVersion === 'string' ? 'azure' : undefined),
};

/** A method whose request has files. */
function withFiles(method: ModelMethod): ModelMethod {
  return { ...method, contents: CONTENTS };
}

/** A method whose request has one text, under `field`. */
function singleText(field: string, ...path: readonly string[]): ModelMethod {
  return { path, reader: new Late(async () => (await import('./single-text.js')).singleText(field)) };
}
