import type { AnswerFacts, AnswerGatherer, ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { formatPrompt, textOfContent } from '../prompt.js';
import { fieldsOf } from '../readers.js';
import { CHAT, COMPLETION } from './chat.js';
import { CANCEL, COMPACT, RESPONSES, RETRIEVE } from './responses.js';
import { readUsage } from './usage.js';

/** The client of the package `openai`, its `AzureOpenAI`, and those of others with the same methods. */
export const OPENAI: Vendor = {
  name: 'openai',
  methods: [
    CHAT,
    COMPLETION,
    RESPONSES,
    COMPACT,
    RETRIEVE,
    CANCEL,
    { ...RESPONSES, path: ['beta', 'responses', 'create'] },
    { ...COMPACT, path: ['beta', 'responses', 'compact'] },
    methodOf('input', 'embeddings', 'create'),
    methodOf('input', 'moderations', 'create'),
    methodOf('prompt', 'images', 'generate'),
    methodOf('prompt', 'images', 'edit'),
    methodOf('prompt', 'images', 'createVariation'),
    methodOf('input', 'audio', 'speech', 'create'),
    methodOf('prompt', 'audio', 'transcriptions', 'create'),
    methodOf('prompt', 'audio', 'translations', 'create'),
  ],
  isClient: ({ chat, embeddings, models }) =>
    typeof fieldsOf(fieldsOf(chat)['completions'])['create'] === 'function' &&
    (embeddings !== undefined || models !== undefined),
  // Only Azure's client has a version of the API. Others of this shape may talk to anyone.
  findProvider: ({ baseURL, apiVersion }) =>
    findProvider(baseURL) ?? (typeof apiVersion === 'string' ? 'azure' : undefined),
};

/** A method whose request has one text, under `field`. */
function methodOf(field: string, ...path: readonly string[]): ModelMethod {
  return {
    path,
    prompt: ({ [field]: asked }) => {
      // An embedding may be asked of tokens, which are numbers.
      const text = Array.isArray(asked) ? asked.map(textOfContent).join('\n') : textOfContent(asked);
      return text.trim() === '' ? undefined : formatPrompt([{ role: 'user', text }]);
    },
    answer: factsOf,
    gather: () => new EventGatherer(),
  };
}

function factsOf(answer: unknown): AnswerFacts {
  const { usage, model } = fieldsOf(answer);
  return { usage: readUsage(usage), facts: { responseModel: model } };
}

/** The last event of a streamed transcription or image has all of it. */
class EventGatherer implements AnswerGatherer {
  private text = '';
  private last: unknown;

  add(event: unknown): boolean {
    const { type, delta } = fieldsOf(event);
    const isPart = /delta|partial/.test(String(type));
    if (typeof delta === 'string') this.text += delta;
    if (!isPart) this.last = event;
    return isPart;
  }

  answer(): unknown {
    return this.last ?? { text: this.text };
  }
}
