import { type PromptFormat, promptOfRequest } from '@dacapo/protocol';
import type { PromptReader } from './model-method.js';

/** Reads the prompt of requests whose messages are in a known format. */
export function messagesPrompt(format: PromptFormat): PromptReader {
  return Object.assign((request: Parameters<PromptReader>[0]) => promptOfRequest(request, format), {
    format,
  });
}
