import { contentText, formatPrompt, type PromptFormat, promptOfRequest } from '@dacapo/protocol';
import type { PromptReader } from './model-method.js';

/** Reads the prompt of requests whose messages are in a known format. */
export function messagesPrompt(format: PromptFormat): PromptReader {
  return Object.assign((request: Parameters<PromptReader>[0]) => promptOfRequest(request, format), {
    format,
  });
}

/** The prompt of a request that has one text or several; `undefined` where they say nothing. */
export function textPrompt(texts: unknown): string | undefined {
  const text = Array.isArray(texts) ? texts.map(contentText).join('\n') : contentText(texts);
  return text.trim() === '' ? undefined : formatPrompt([{ role: 'user', text }]);
}
