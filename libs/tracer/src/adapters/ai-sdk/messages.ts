import { formatPrompt, type PromptMessage, contentText } from '@dacapo/protocol';
import { toFields } from '../readers.js';

/** The prompt of a call, from its system instructions and its messages. */
export function buildPrompt(instructions: unknown, messages: unknown): string | undefined {
  const system =
    typeof instructions === 'string'
      ? [{ role: 'system', text: instructions }]
      : toPromptMessages(instructions);
  return formatPrompt([...system, ...toPromptMessages(messages)]);
}

/** Calls and results of tools are no text of the prompt. */
function toPromptMessages(messages: unknown): PromptMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    const { role, content } = toFields(message);
    if (typeof role !== 'string' || role === 'tool') return [];
    const text = contentText(Array.isArray(content) ? content.filter(isNoToolCall) : content);
    return text === '' ? [] : [{ role, text }];
  });
}

function isNoToolCall(part: unknown): boolean {
  const { type } = toFields(part);
  return typeof type !== 'string' || !type.startsWith('tool-');
}
