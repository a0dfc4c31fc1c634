import { toMembers } from '@dacapo/protocol';
import type { AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { CHAT, ChatGatherer } from '../openai/chat.js';
import { embeddingsLike } from './embeddings.js';
import { snakeCased } from './snake-cased.js';

/** The format of OpenAI's chats, in the camel case of generated clients. */
export const CAMEL_CHAT: ModelReader = {
  prompt: CHAT.prompt,
  answer: (answer) => CHAT.answer(snakeCased(answer)),
  verdict: (answer) => CHAT.verdict?.(snakeCased(answer)),
  gather: () => new ChatGatherer(),
};

export const CAMEL_EMBEDDINGS = embeddingsLike(CAMEL_CHAT);

/** Mistral's events hold the chunk under `data`. */
export const MISTRAL_STREAM: ModelReader = { ...CAMEL_CHAT, gather: () => new DataGatherer() };

class DataGatherer implements AnswerGatherer {
  private readonly chat = new ChatGatherer();

  add(event: unknown): boolean {
    return this.chat.add(toMembers(event)['data']);
  }

  answer(): unknown {
    return this.chat.answer();
  }
}
