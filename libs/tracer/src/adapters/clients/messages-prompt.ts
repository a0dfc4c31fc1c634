import { contentText, formatPrompt, type PromptFormat, formatRequestPrompt } from '@dacapo/protocol';
import type { PromptReader } from './model-method.js';

/** Reads the prompt of requests whose messages are in a known format. */
export function messagesPrompt(format: PromptFormat): PromptReader {
  return Object.assign((request: Parameters<PromptReader>[0]) => formatRequestPrompt(request, format), {
    format,
  });
}

/** Returns the prompt of a request with one or more texts; `undefined` if they are empty. */
export function textPrompt(texts: unknown): string | undefined {
  const text = Array.isArray(texts) ? texts.map(contentText).join('\n') : contentText(texts);
  return text.trim() === '' ? undefined : formatPrompt([{ role: 'user', text }]);
}
