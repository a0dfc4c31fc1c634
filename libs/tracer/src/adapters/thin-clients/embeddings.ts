import { formatPrompt, contentText } from '@dacapo/protocol';
import type { ModelReader } from '../clients/model-method.js';

/** Reads requests for embeddings, whose answers are like those of chats. */
export function embeddingsLike(chat: ModelReader): ModelReader {
  return {
    prompt: ({ inputs, input, texts }) => {
      const embedded = inputs ?? input ?? texts;
      const text = Array.isArray(embedded) ? embedded.map(contentText).join('\n') : contentText(embedded);
      return text === '' ? undefined : formatPrompt([{ role: 'user', text }]);
    },
    answer: (answer) => chat.answer(answer),
  };
}
