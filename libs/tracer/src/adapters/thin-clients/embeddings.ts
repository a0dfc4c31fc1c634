import { textPrompt } from '../clients/messages-prompt.js';
import type { ModelReader } from '../clients/model-method.js';

/** Reads requests for embeddings, whose answers are like those of chats. */
export function embeddingsLike(chat: ModelReader): ModelReader {
  return {
    prompt: ({ inputs, input, texts }) => textPrompt(inputs ?? input ?? texts),
    answer: (answer) => chat.answer(answer),
  };
}
