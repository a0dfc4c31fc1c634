import type { SpanData } from '../records/span.js';
import { anthropicMessages } from './anthropic-messages.js';
import { converseMessages } from './bedrock-messages.js';
import { googleMessages } from './google-contents.js';
import { hasMembers, type Members } from './members.js';
import { formatPrompt, type PromptMessage } from './message-text.js';
import { otlpMessages } from './otlp-messages.js';
import { openAiMessages } from './openai-messages.js';

/** How the messages of a request to a model are read, by the format of the request. */
const MESSAGES = {
  'anthropic.messages': anthropicMessages,
  'bedrock.converse': converseMessages,
  'cohere.chat': ({ messages, message, preamble }) => [
    ...systemMessage(preamble),
    ...openAiMessages(messages ?? message),
  ],
  'google.contents': googleMessages,
  'ollama.chat': ({ messages, prompt, system }) => [
    ...systemMessage(system),
    ...openAiMessages(messages ?? prompt),
  ],
  'otlp.messages': otlpMessages,
  'openai.chat': ({ messages }) => openAiMessages(messages),
  'openai.responses': ({ instructions, input }) => [...systemMessage(instructions), ...openAiMessages(input)],
} satisfies Readonly<Record<string, (request: Members) => PromptMessage[]>>;

/** The format of a request whose prompt is its messages. */
export type PromptFormat = keyof typeof MESSAGES;

/** The messages of a request as one text, each under its role; `undefined` when there are none. */
export function formatRequestPrompt(request: Members, format: PromptFormat): string | undefined {
  return formatPrompt(MESSAGES[format](request));
}

/** The same data with its prompt, which is not recorded next to the messages in its input (`meta.prompt_format`). */
export function withPrompt(data: SpanData): SpanData {
  const { prompt, input, meta } = data;
  const format = meta?.prompt_format;
  const request = input?.[0];
  if (prompt !== undefined || !isPromptFormat(format) || !hasMembers(request)) return data;
  const found = formatRequestPrompt(request, format);
  return found === undefined ? data : { ...data, prompt: found };
}

/** A newer tracer may know more formats. */
function isPromptFormat(format: unknown): format is PromptFormat {
  return typeof format === 'string' && Object.hasOwn(MESSAGES, format);
}

function systemMessage(text: unknown): PromptMessage[] {
  return typeof text === 'string' ? [{ role: 'system', text }] : [];
}
